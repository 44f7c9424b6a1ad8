package stats

import (
	"math/big"
	"strconv"
)

// ranks returns the ranks, from 1, at which the inverse CDF of total equally weighted values reaches (1-level)/2 and (1+level)/2:
// the smallest k with k/total >= p. They are computed in integers from the level's shortest decimal, since doubles give 501 in
// place of 500 for 20,000 values at 0.95.
func ranks(level float64, total int64) (low, high int64) {
	l, ok := new(big.Rat).SetString(strconv.FormatFloat(level, 'g', -1, 64))
	if !ok {
		l = new(big.Rat)
	}
	one, two := big.NewRat(1, 1), big.NewRat(2, 1)
	tail := new(big.Rat).Quo(new(big.Rat).Sub(one, l), two)
	return rank(tail, total), rank(new(big.Rat).Sub(one, tail), total)
}

// rank returns the smallest integer k from 1 to total with k >= p·total.
func rank(p *big.Rat, total int64) int64 {
	x := new(big.Rat).Mul(p, new(big.Rat).SetInt64(total))
	q, r := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	k := q.Int64()
	if r.Sign() > 0 {
		k++
	}
	return min(max(k, 1), total)
}

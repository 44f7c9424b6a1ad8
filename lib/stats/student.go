package stats

import "math"

// StudentT returns Student's interval for the mean of v at a level between 0 and 1: mean ± t · s/√n with n-1 degrees of freedom
// (Student 1908). Equal values give an interval of no length. It fails with ErrTooFew below two blocks
// and with ErrNotFinite.
func StudentT(v []float64, level float64) (low, high float64, err error) {
	n := len(v)
	switch {
	case n < 2:
		return 0, 0, ErrTooFew
	case !finite(v):
		return 0, 0, ErrNotFinite
	}
	mean := Mean(v)
	half := StudentQuantile(level, n-1) * spread(v) / math.Sqrt(float64(n))
	return mean - half, mean + half, nil
}

// PairedTP returns the two-sided p of the paired t test that the mean of v is 0. Equal values give p = 0, or 1 where all are 0; fewer
// than two values, and values that are not finite, say nothing and give 1.
func PairedTP(v []float64) float64 {
	if len(v) < 2 || !finite(v) {
		return 1
	}
	mean, s := Mean(v), spread(v)
	switch {
	case math.IsNaN(s) || math.IsInf(s, 0): // effects of both signs near the largest double
		return 1
	case s > 0:
		return StudentTail(math.Abs(mean)/(s/math.Sqrt(float64(len(v)))), len(v)-1)
	case mean == 0:
		return 1
	}
	return 0
}

// StudentTail returns P(|T| > t) for df degrees of freedom. Far out, where 1-centralT would cancel, it is the incomplete beta function
// I_x(df/2, 1/2) at x = df/(df+t²), by its power series of positive terms (Abramowitz and Stegun 1964, 26.5.4).
func StudentTail(t float64, df int) float64 {
	if t*t <= float64(df) {
		return 1 - centralT(t, df)
	}
	a := float64(df) / 2
	x := float64(df) / (float64(df) + t*t)
	la, _ := math.Lgamma(a)
	lab, _ := math.Lgamma(a + 0.5)
	coefficient, sum := 1.0, 1/a
	for k := 1.0; ; k++ {
		coefficient *= (k - 0.5) / k * x
		next := sum + coefficient/(a+k)
		if next == sum {
			break
		}
		sum = next
	}
	return math.Exp(a*math.Log(x)+lab-la) / math.SqrtPi * sum
}

// StudentQuantile returns the t with P(|T| <= t) = level for an integer number of degrees of freedom, by bisection of the
// closed form.
func StudentQuantile(level float64, df int) float64 {
	low, high := 0.0, 1.0
	for centralT(high, df) < level && high < 1e300 {
		low, high = high, 2*high
	}
	for {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			return mid
		}
		if centralT(mid, df) < level {
			low = mid
		} else {
			high = mid
		}
	}
}

// centralT returns P(|T| <= t) for df degrees of freedom, t >= 0 (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4).
func centralT(t float64, df int) float64 {
	theta := math.Atan2(t, math.Sqrt(float64(df)))
	sin, cos := math.Sincos(theta)
	if df == 1 {
		return 2 * theta / math.Pi
	}
	// term runs over cos, cos³·2/3, … (odd df) or 1, cos²·1/2, … (even df), up to the power df-2
	first, term := 1, cos
	if df%2 == 0 {
		first, term = 0, 1.0
	}
	sum := term
	for power := first + 2; power <= df-2; power += 2 {
		term *= cos * cos * float64(power-1) / float64(power)
		sum += term
	}
	if df%2 == 0 {
		return sin * sum
	}
	return 2 / math.Pi * (theta + sin*sum)
}

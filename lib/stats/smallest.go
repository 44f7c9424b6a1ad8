package stats

// smallest returns the k-th smallest of x, k from 1 to len(x), and leaves x in another order: quickselect (Hoare 1961) with the values
// equal to the pivot set apart, since resampled means are full of ties. x holds numbers only.
func smallest(x []float64, k int64) float64 {
	low, high, at := 0, len(x)-1, int(k)-1
	for low < high {
		below, above := split(x, low, high, middle(x[low], x[low+(high-low)/2], x[high]))
		switch {
		case at < below:
			high = below - 1
		case at > above:
			low = above + 1
		default:
			return x[at]
		}
	}
	return x[at]
}

// split orders x[low..high] into what is less than the pivot, what equals it (from below to above), and what is greater.
func split(x []float64, low, high int, pivot float64) (below, above int) {
	i := low
	for i <= high {
		switch {
		case x[i] < pivot:
			x[i], x[low] = x[low], x[i]
			low++
			i++
		case x[i] > pivot:
			x[i], x[high] = x[high], x[i]
			high--
		default:
			i++
		}
	}
	return low, high
}

func middle(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}

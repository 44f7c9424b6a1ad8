package check

import "testing"

func TestPercentHasNoExponent(t *testing.T) {
	for _, tt := range []struct {
		ratio float64
		want  string
	}{
		{1.04, "+4%"},
		{0.9935, "-0.65%"},
		{1.022, "+2.2%"},
		{1, "+0%"},
		{0.5, "-50%"},
		{0.002, "-100%"},
		{1.994, "+99%"},
		{1.996, "+100%"},
		{2.7, "+170%"},
		{2.714, "+171%"},
		{12.5, "+1150%"},
	} {
		if got := percent(tt.ratio); got != tt.want {
			t.Errorf("percent(%v) = %s, want %s", tt.ratio, got, tt.want)
		}
	}
}

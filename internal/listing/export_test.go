package listing

// InSteps has lists read in steps of this cost, as larger tables are.
func (l *Lists) InSteps(cost int64) *Lists {
	l.step = cost
	return l
}

package mail

// LinkSpread tells that the subscription link was fetched from many networks within a day.
type LinkSpread struct {
	Networks int
	Areas    int // that those networks are in
}

func (LinkSpread) kind() string { return "link_spread" }

package mail

import "fmt"

// LinkSpread tells that the subscription link was fetched from many networks within a day.
type LinkSpread struct {
	Networks int
	Areas    int // that those networks are in
}

func (c LinkSpread) fill(v *values) {
	v.say("spread", fmt.Sprintf("%d 个不同的网络", c.Networks), fmt.Sprintf("%d different networks", c.Networks))
	if c.Areas > 1 {
		v.say("spread", fmt.Sprintf("%d 个不同的网络（分布在 %d 个国家或地区）", c.Networks, c.Areas),
			fmt.Sprintf("%d different networks in %d countries or regions", c.Networks, c.Areas))
	}
}

func (LinkSpread) kind() string { return "link_spread" }

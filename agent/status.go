package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"airstrip/agent/internal/run"
)

type statusCommand struct {
	Config string        `type:"existingfile" env:"AIRSTRIP_NODE_CONFIG" help:"JSON file with several nodes, the one that the agent was given."`
	Data   string        `default:"/var/lib/airstrip-node" type:"path" env:"AIRSTRIP_NODE_DATA" help:"Folder that the agent was given."`
	JSON   bool          `name:"json" help:"Print a JSON object for each node."`
	Wait   time.Duration `help:"How long to wait for all to be well."`
}

// Run prints the state of each node's agent and fails if anything is wrong.
func (c *statusCommand) Run() error {
	end := time.Now().Add(c.Wait)
	all, err := c.summaries()
	for err == nil && problemCount(all) > 0 && time.Now().Before(end) {
		time.Sleep(200 * time.Millisecond)
		all, err = c.summaries()
	}
	if err == nil {
		err = c.print(all)
	}
	if n := problemCount(all); err == nil && n > 0 {
		err = fmt.Errorf("%d of these need somebody", n)
	}
	return err
}

// summaries returns the state of each node. Without a file, agents that have finished are left out unless there are no
// others: the machine may have served them in the past.
func (c *statusCommand) summaries() ([]run.Summary, error) {
	folders, err := nodes{Config: c.Config, Data: c.Data}.dataFolders()
	var all []run.Summary
	for _, folder := range folders {
		all = append(all, run.Summarize(folder))
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(s run.Summary) bool { return s.IsFinished() })
	if c.Config == "" && len(rest) > 0 {
		return rest, err
	}
	return all, err
}

// problemCount returns how many findings need attention.
func problemCount(all []run.Summary) (n int) {
	for _, s := range all {
		for _, f := range s.Findings {
			if f.Wrong != "" {
				n++
			}
		}
	}
	return n
}

func (c *statusCommand) print(all []run.Summary) error {
	out := json.NewEncoder(os.Stdout)
	for i, s := range all {
		if c.JSON {
			if err := out.Encode(s); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Println()
		}
		printFindings(s.Findings)
	}
	return nil
}

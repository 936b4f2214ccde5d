package user

import "airstrip/internal/fault"

// MovementNames returns what the kinds of movements are called, by the reason.
func MovementNames() map[string]fault.Text {
	names := make(map[string]fault.Text, len(movementTexts))
	for reason, name := range movementTexts {
		names[string(reason)] = name
	}
	return names
}

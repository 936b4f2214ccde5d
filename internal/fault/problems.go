package fault

// Problems gathers the wrong fields of an input.
type Problems []Field

// When adds a field where it is wrong.
func (p *Problems) When(wrong bool, field, code, zh, en string) {
	if wrong {
		*p = append(*p, Field{Name: field, Code: code, Text: Text{zh, en}})
	}
}

// Err gives ErrInvalid with the fields, nil where none is wrong.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return ErrInvalid.In(p...)
}

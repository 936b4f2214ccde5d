// Package staff holds the operations of /api/v2 for members of staff. Each names one permission and the kinds of acts
// by which it gives something that is worth money; the domain package writes the entry of the audit log in the
// transaction of the change. One file holds one resource.
package staff

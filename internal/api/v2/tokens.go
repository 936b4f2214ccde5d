package v2

import (
	"airstrip/internal/account"
)

// TokensResult is what a sign-in or a refresh gives.
type TokensResult struct {
	AccessToken  string `json:"access_token" doc:"JWT, lives 20 minutes"`
	RefreshToken string `json:"refresh_token" doc:"JWT, good for one refresh"`
	UserID       int64  `json:"user_id"`
}

// TokensOf returns the tokens of a sign-in or a refresh.
func TokensOf(g account.Grant) TokensResult { return TokensResult{g.Access, g.Refresh, g.User.ID} }

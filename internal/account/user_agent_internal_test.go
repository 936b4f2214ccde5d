package account

import "testing"

func TestDevicesHaveNamesThatPeopleKnow(t *testing.T) {
	for userAgent, want := range map[string]Device{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0":                  {"Edge 141", "Windows", "computer"},
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15":                          {"Safari 18", "macOS", "computer"},
		"Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36":                          {"Chrome 141", "Android 16", "phone"},
		"Mozilla/5.0 (Linux; Android 15; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Safari/537.36":             {"Samsung Internet 28", "Android 15", "tablet"},
		"Mozilla/5.0 (iPad; CPU OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0 Mobile/15E148 Safari/604.1":                  {"Chrome 141", "iPadOS 18", "tablet"},
		"Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1 Mobile HuaweiBrowser/5.1": {"Huawei Browser 5", "HarmonyOS 5", "phone"},
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.50":            {"WeChat 8", "iOS 17", "phone"},
		"curl/8.14.1": {"curl 8", "", ""},
		"":            {},
		"(;;;)":       {},
	} {
		if got := deviceOf(userAgent); got != want {
			t.Errorf("%s:\n%+v, want %+v", userAgent, got, want)
		}
	}
}

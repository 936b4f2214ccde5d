package link

// App is a program that users read their link with. In Import, {url} and {name} stand for the link and the site's name as
// encodeURIComponent writes them, {url_raw} for the link as it is and {url_base64} for it in base64; an empty Import means
// that the link is copied into the app by hand.
type App struct {
	ID        string
	Name      string
	Platforms []string // windows, macos, ios, android, linux, harmonyos
	Import    string
	Download  string
	Formats   []string // values of client_type that it reads, the best first
}

// Apps are the programs that the site recommends, the best known of each platform first.
var Apps = []App{
	{"clash-verge-rev", "Clash Verge Rev", []string{"windows", "macos", "linux"}, "clash://install-config?url={url}&name={name}", "https://github.com/clash-verge-rev/clash-verge-rev/releases", []string{"ClashMeta"}},
	{"flclash", "FlClash", []string{"windows", "macos", "linux", "android"}, "flclash://install-config?url={url}", "https://github.com/chen08209/FlClash/releases", []string{"ClashMeta"}},
	{"clash-meta-android", "Clash Meta for Android", []string{"android"}, "clash://install-config?url={url}&name={name}", "https://github.com/MetaCubeX/ClashMetaForAndroid/releases", []string{"ClashMeta"}},
	{"shadowrocket", "Shadowrocket", []string{"ios"}, "shadowrocket://add/sub://{url_base64}?remark={name}", "https://apps.apple.com/app/shadowrocket/id932747118", []string{"Shadowrocket", "Mixed"}},
	{"stash", "Stash", []string{"ios", "macos"}, "stash://install-config?url={url}&name={name}", "https://stash.ws", []string{"Stash"}},
	{"sing-box", "sing-box", []string{"ios", "android", "macos"}, "sing-box://import-remote-profile?url={url}#{name}", "https://sing-box.sagernet.org/clients/", []string{"SingBox"}},
	{"hiddify", "Hiddify", []string{"windows", "macos", "linux", "android", "ios"}, "hiddify://import/{url_raw}#{name}", "https://github.com/hiddify/hiddify-app/releases", []string{"Mixed", "SingBox"}},
	{"v2rayn", "v2rayN", []string{"windows", "macos", "linux"}, "", "https://github.com/2dust/v2rayN/releases", []string{"Mixed"}},
	{"v2rayng", "v2rayNG", []string{"android"}, "v2rayng://install-config?name={name}&url={url}", "https://github.com/2dust/v2rayNG/releases", []string{"Mixed"}},
	{"happ", "Happ", []string{"ios", "android", "windows", "macos"}, "happ://add/{url_raw}", "https://www.happ.su", []string{"Mixed"}},
	{"karing", "Karing", []string{"windows", "macos", "linux", "android", "ios"}, "karing://install-config?url={url}&name={name}", "https://karing.app", []string{"ClashMeta"}},
	{"loon", "Loon", []string{"ios"}, "loon://import?sub={url}", "https://apps.apple.com/app/loon/id1373567447", []string{"Mixed"}},
	{"clash-mi", "Clash Mi", []string{"ios", "android", "windows", "macos", "linux", "harmonyos"}, "clash://install-config?url={url}&name={name}", "https://clashmi.app", []string{"ClashMeta"}},
}

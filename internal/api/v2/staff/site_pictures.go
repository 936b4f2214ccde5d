package staff

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
	"airstrip/internal/sitepicture"
)

type sitePicturePath struct {
	Name string `path:"name" enum:"logo,icon"`
}

// SitePictures adds the logo and the icon of the site. GET /site says where they are.
func SitePictures(p *sitepicture.Pictures) v2.Resource {
	return func(r *v2.Router) {
		type upload struct {
			Name string `path:"name" enum:"logo,icon"`
			Body struct {
				Data []byte `json:"data" maxLength:"400000" doc:"The file in Base64, of at most 256 KB. A logo is a PNG, JPEG or WebP, an icon a square PNG of at least 192 pixels"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/site-pictures/{name}", permission.SettingWrite).
			Named("staff_site_picture_set", "Give the site another logo or icon").
			Answering(fault.Text{ZH: "图片已更换", EN: "The picture is replaced"}),
			func(ctx context.Context, _ account.Identity, in *upload) (v2.Empty, error) {
				return v2.Empty{}, p.Set(ctx, in.Name, in.Body.Data)
			})
		v2.Handle(r, v2.StaffOp("DELETE /staff/site-pictures/{name}", permission.SettingWrite).
			Named("staff_site_picture_remove", "Show the built-in logo or icon again").
			Answering(fault.Text{ZH: "已恢复内置图片", EN: "The built-in picture is shown again"}),
			func(ctx context.Context, _ account.Identity, in *sitePicturePath) (v2.Empty, error) {
				return v2.Empty{}, p.Remove(ctx, in.Name)
			})
	}
}

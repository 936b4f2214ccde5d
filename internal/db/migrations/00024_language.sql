-- +goose Up
-- The language that the user last used; mails are written in it.
ALTER TABLE account ADD COLUMN lang {{text}} NOT NULL DEFAULT 'zh-CN' CHECK (lang IN ('zh-CN', 'en'));

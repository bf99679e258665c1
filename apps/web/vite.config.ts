import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { refuseCircles, sharedChunks } from "./chunks.ts";
import { precompress } from "./precompress.ts";
import { signInOnPreact } from "./sign-in-on-preact.ts";

const server = process.env["SPANWARD_DEV_SERVER"] ?? "http://127.0.0.1:6006";
const proxied = ["/v1", "/auth", "^/oauth2/(?!consent)", "/openapi.json", "/docs", "/healthz", "/version"];

export default defineConfig({
	// Addresses of files are relative to <base href>, which the server sets to where it is reached from.
	base: "./",
	plugins: [signInOnPreact(), react(), tailwind(), refuseCircles(), precompress()],
	build: {
		target: "es2023",
		// A strict Content-Security-Policy: nothing inline.
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		// One file: a style sheet that was not fetched once is not asked for again with its part.
		cssCodeSplit: false,
		reportCompressedSize: false,
		rolldownOptions: {
			// Compressing takes most of the time, as it may.
			checks: { pluginTimings: false },
			output: {
				codeSplitting: { groups: sharedChunks() },
				// The bundler names a shared file after all the pages that need it.
				chunkFileNames: ({ name }) => `assets/${name.split("~", 1)[0]}-[hash].js`,
			},
		},
	},
	server: { proxy: Object.fromEntries(proxied.map((path) => [path, { target: server }])) },
});

import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		include: ["{packages,apps,clients,e2e}/**/*.test.{ts,tsx}"],
		// Real servers, real databases and a browser on a machine that may have two busy cores.
		testTimeout: 60_000,
		hookTimeout: 120_000,
		maxWorkers: 2,
		execArgv: ["--disable-warning=ExperimentalWarning"],
	},
});

import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		root: join(import.meta.dirname),
		include: ["*.eval.ts"],
		reporters: ["default", "@arizeai/phoenix-client/vitest/reporter"],
	},
});

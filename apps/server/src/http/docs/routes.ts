import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { notFound } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "../app-type.ts";
import { rootAddress } from "../page-links.ts";
import { llmsTxt } from "./llms-txt.ts";
import { findImage, findPage } from "./pages.ts";

const STYLES = join(import.meta.dirname, "page.css");
/** They change with the version alone. */
const CACHED = "public, max-age=300";

/**
 * The pages of `docs` below `/docs`, as HTML and with `.md` as Markdown, and `/llms.txt`. They are for everybody: they have
 * nothing of the installation, and who is refused for want of credentials is sent to them.
 * @param hasPrograms whether programs can log in
 */
export function docsRoutes(app: App, { config }: Pick<Context, "config">, hasPrograms: boolean): void {
	/** HTML by Markdown: a large page takes 20 ms, and anybody may ask. All together are 2 MB. */
	const rendered = new Map<string, string>();
	const options = { config: { access: "public", home: "none" }, schema: { hide: true } } as const;

	app.get<{ Params: { "*": string } }>("/docs/*", options, async ({ params }, reply) => {
		const path = params["*"];
		void reply.header("cache-control", CACHED);
		if (path === "page.css") return reply.type("text/css; charset=utf-8").send(await readFile(STYLES));
		const image = await findImage(path);
		if (image !== undefined) return reply.type("image/png").send(image);
		const name = path.replace(/\.md$/, "");
		const markdown = await findPage(name);
		if (markdown === undefined) {
			void reply.header("cache-control", "no-cache");
			throw notFound("not_found", `There is no such page: ${config.SERVICE_HOST_ROOT_PATH}/docs/README lists them.`);
		}
		if (name !== path) return reply.type("text/markdown; charset=utf-8").send(markdown);
		// Most servers are never asked for a page.
		const { toHtml } = await import("./to-html.ts");
		const html = rendered.get(markdown) ?? toHtml(markdown, name, config.SERVICE_HOST_ROOT_PATH);
		rendered.set(markdown, html);
		return reply.type("text/html; charset=utf-8").send(html);
	});

	app.get("/llms.txt", options, async (request, reply) => {
		const text = llmsTxt((await findPage("README")) ?? "", {
			root: rootAddress(config, request),
			hasAuth: config.SERVICE_ENABLE_AUTH,
			hasPrograms,
			hasMcp: config.SERVICE_ENABLE_MCP,
		});
		return reply.type("text/plain; charset=utf-8").header("cache-control", "no-cache").send(text);
	});
}

import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageLinks } from "#http/page-links.ts";
import { sendText } from "#http/text-answers.ts";
import { parsePart } from "#http/validation.ts";
import { Rest, RestRefusal } from "./mcp/rest.ts";
import { runTool, TooSlow } from "./mcp/run-tool.ts";
import { TEXT_TOOLS, toQuery } from "./text-schemas.ts";

/** What the tools of the MCP endpoint tell models, for whoever asks over REST, whether or not the endpoint is on. */
export function textRoute(app: App, context: Context): void {
	app.get(
		"/v1/texts/:tool",
		{
			// What a tool is asked for it asks of routes, with the credentials of the caller, and each decides.
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getText",
				tags: ["agents"],
				summary: "What a tool of the MCP endpoint answers, as text",
				description:
					"Of the tools that only read, with their arguments as parameters of the query, such as `/v1/texts/get_trace?project=shop&trace_id=…`. `max_tokens` bounds the text: four bytes count as a token.",
				params: z.object({ tool: z.enum(TEXT_TOOLS) }),
				// The arguments of the tool; its own schema says which.
				querystring: z.looseObject({ max_tokens: z.string().optional().describe("500 to 50,000; 4,000 when absent.") }),
				response: { 200: { content: { "text/plain": { schema: z.string() } } } },
			},
		},
		async (request, reply) => {
			// With them come the schemas of all answers, which a server that nobody asks for texts does not need.
			const { TOOLS } = await import("./mcp/tools.ts");
			const tool = TOOLS.find(({ name }) => name === request.params.tool);
			if (tool === undefined) throw new Error(`there is no tool ${request.params.tool}`);
			const args = parsePart(toQuery(tool.input), "query", request.query);
			if (args.error !== undefined) throw args.error;
			const gone = new AbortController();
			reply.raw.once("close", () => gone.abort());
			try {
				const { text } = await runTool(tool, args.value, {
					rest: (signal) => new Rest(app, request, signal, "api"),
					links: pageLinks(context.config, request),
					progress: () => undefined,
					cancelled: gone.signal,
				});
				return sendText(reply, text);
			} catch (error) {
				if (error instanceof TooSlow) throw new UserError(503, "storage_too_slow", error.message, { cause: error });
				if (error instanceof RestRefusal) throw toUserError(error);
				throw error;
			}
		},
	);
}

function toUserError(refusal: RestRefusal): UserError {
	const { status, code, message, position, suggestions } = refusal;
	const details = position === undefined ? {} : { details: { position, suggestions } };
	return new UserError(status, code, message, { ...details, cause: refusal });
}

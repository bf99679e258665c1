import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { userOf } from "#http/principal.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { formatTime, wireTime } from "#http/wire-times.ts";
import { CALL_OUTCOMES } from "#storage/schema.ts";
import { type CallRow, listCalls } from "./queries.ts";

const AgentCall = z
	.object({
		id: z.string(),
		time: wireTime.describe("Of its start."),
		tool: z.string(),
		client_name: z.string().nullable().describe("As the program calls itself."),
		client_version: z.string().nullable(),
		user: z
			.object({ id: z.string(), username: z.string(), email: z.string().nullable() })
			.nullable()
			.describe("Null while authentication is off."),
		outcome: z.enum(CALL_OUTCOMES),
		duration_ms: z.number(),
	})
	.meta({ id: "AgentCall" });

const querystring = z.strictObject({ cursor: cursorParam, limit: limitParam(50) });
const response = { 200: pageSchema(AgentCall).meta({ id: "AgentCallPage" }) };
const tags = ["agents"];

/** What agents called over MCP, within a week. */
export function agentCallRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/user/agent_calls",
		{
			config: { access: "read", home: "none", limitedKeys: "refused" },
			schema: {
				operationId: "listOwnAgentCalls",
				tags,
				summary: "Page through what one's own agents called, newest first",
				querystring,
				response,
			},
		},
		async ({ principal, query }) => {
			const userId = userOf(principal)?.id ?? null;
			return await pageOf("AgentCall", query, (part) => listCalls(db.read, { ...part, userId }), toCall);
		},
	);

	app.get(
		"/v1/agent_calls",
		{
			config: { access: "admin", home: "none" },
			schema: {
				operationId: "listAgentCalls",
				tags,
				summary: "Page through what everybody's agents called, newest first",
				querystring,
				response,
			},
		},
		async ({ query }) => await pageOf("AgentCall", query, (part) => listCalls(db.read, part), toCall),
	);
}

function toCall(row: CallRow): z.output<typeof AgentCall> {
	const { user_id: userId, username, email } = row;
	return {
		id: encodeGlobalId("AgentCall", row.id),
		time: formatTime(row.time),
		...{ tool: row.tool, client_name: row.client_name, client_version: row.client_version },
		user: userId === null || username === null ? null : { id: encodeGlobalId("User", userId), username, email },
		...{ outcome: row.outcome, duration_ms: row.duration_ms },
	};
}

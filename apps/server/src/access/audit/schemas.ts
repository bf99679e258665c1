import { z } from "zod";
import { cursorParam, limitParam, repeated, textParam } from "#http/query-params.ts";
import { timeParam, wireTime } from "#http/wire-times.ts";
import { AUDIT_ACTIONS } from "../auth/audit.ts";

const outcome = z.enum(["success", "failure", "denied"]);

/** One entry of the audit log. */
export const AuditEvent = z
	.object({
		id: z.string(),
		time: wireTime,
		action: z.string(),
		outcome,
		code: z.string().optional(),
		actor: z.object({
			kind: z.string().describe("session, user_key, system_key, oauth_token, admin_secret, anonymous, or none"),
			id: z.string().optional(),
			username: z.string().optional(),
		}),
		target: z.object({ type: z.string(), id: z.string().optional(), name: z.string().optional() }).optional(),
		ip: z.string().optional(),
		user_agent: z.string().optional(),
		request_id: z.string().optional(),
		details: z.record(z.string(), z.unknown()).optional(),
	})
	.meta({ id: "AuditEvent" });

export const AuditQuery = z.object({
	cursor: cursorParam,
	limit: limitParam(100),
	action: repeated(z.enum(AUDIT_ACTIONS)).describe("What happened; several may be given."),
	outcome: outcome.optional(),
	actor: textParam.optional().describe("Id or username of who did it."),
	target: textParam.optional().describe("Id or name of what it was done to."),
	ip: textParam.optional(),
	start_time: timeParam.optional().describe("Entries from this time on."),
	end_time: timeParam.optional().describe("Entries before this time."),
	format: z
		.enum(["json", "ndjson"])
		.default("json")
		.describe("ndjson streams all matching entries, one JSON object per line."),
});

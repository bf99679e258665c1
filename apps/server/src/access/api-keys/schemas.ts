import { z } from "zod";
import { KEY_PERMISSIONS } from "#http/principal.ts";
import { countParam, orderParam } from "#http/query-params.ts";
import { parseTime, wireTime } from "#http/wire-times.ts";
import { ROLES } from "../users/schemas.ts";
import { findMisspelt, limitFields } from "./limit-schemas.ts";

const MAX_NAME = 255;
const MAX_DESCRIPTION = 1_000;
/** The last moment that four digits of a year can say; a later expiry counts as this one. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59);
const LONG_YEAR = /^\+?0?[1-9]\d{4,5}(?=-\d\d-\d\d)/;

const name = z
	.string()
	.trim()
	.min(1)
	.max(MAX_NAME)
	.refine((text) => !/\p{Cc}/u.test(text), "a name has no control characters")
	.refine((text) => text.isWellFormed(), "the name has half of a surrogate pair");

const description = z
	.string()
	.trim()
	.max(MAX_DESCRIPTION)
	.refine((text) => !/[^\P{Cc}\n\t]/u.test(text), "a description has no control characters but line breaks")
	.refine((text) => text.isWellFormed(), "the description has half of a surrogate pair")
	.transform((text) => (text === "" ? undefined : text));

/** Milliseconds since 1970. */
const expiry = z
	.string()
	.max(100)
	.transform((text, context) => {
		const trimmed = text.trim();
		// Four digits of another leap year, so that the rest is checked as a date too.
		const time = parseTime(trimmed.replace(LONG_YEAR, "2000"));
		if (time !== undefined)
			return LONG_YEAR.test(trimmed) ? LATEST_MS : Math.min(Math.floor(time.micros / 1_000), LATEST_MS);
		context.addIssue({
			code: "custom",
			params: { type: "datetime_from_date_parsing" },
			message: "Input should be a valid datetime or date",
		});
		return z.NEVER;
	})
	.meta({ format: "date-time" });

const CreateData = z.object({
	name: name.describe(`1 to ${MAX_NAME} characters.`),
	description: description.nullish(),
	expires_at: expiry
		.nullish()
		.describe("The key is refused from this moment on; a time without an offset is UTC. If absent, it never expires."),
	...limitFields,
});

export const CreateApiKeyBody = z.preprocess(
	(body, context) => {
		for (const { path, message } of findMisspelt(body)) {
			context.addIssue({ code: "custom", params: { type: "extra_forbidden" }, path: [...path], message });
		}
		return body;
	},
	z.object({ data: CreateData }),
);

export const UpdateApiKeyBody = z.strictObject({
	name: name.optional(),
	description: description.nullish(),
	expires_at: expiry.nullish().describe("Only earlier."),
	...limitFields,
});

const MAX_OVERLAP_SECONDS = 2_592_000;

export const RotateApiKeyBody = z.strictObject({
	overlap_seconds: z
		.int()
		.min(0)
		.max(MAX_OVERLAP_SECONDS)
		// A default would not be written into the OpenAPI document.
		.optional()
		.describe("How long the replaced key goes on, at most until its own end; 86,400 when absent."),
	expires_at: expiry.nullish().describe("Of the new key; that of the replaced one when absent."),
});

export const KeySortQuery = {
	sort: z.enum(["created_at", "last_used_at"]).default("created_at").describe("`created_at` when absent."),
	order: orderParam.default("desc").describe("`desc` when absent."),
	unused_days: countParam(3_650)
		.optional()
		.describe("Only keys that were made, and last used if ever, more than so many days ago."),
};

const Key = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string().optional(),
	created_at: wireTime,
	expires_at: wireTime.optional(),
	last_used_at: wireTime.optional().describe("To the minute."),
	hint: z.string().describe("Beginning and end of the key, to distinguish keys: `sw_u_ab12cd34_…wxyz`."),
	permissions: z.array(z.enum(KEY_PERMISSIONS)).nullable().describe("Null: all that its owner may."),
	projects: z
		.array(z.object({ id: z.string(), name: z.string() }))
		.nullable()
		.describe("The only ones that it reaches, of those that still exist and that the caller sees. Null: all."),
	hidden_project_count: z.int().describe("Further projects that it reaches, and the caller does not see."),
	include_library: z.boolean(),
	ip_ranges: z.array(z.string()).nullable(),
	allowed_origins: z.array(z.string()).nullable(),
	limits: z.object({ requests_per_minute: z.int().nullable(), spans_per_day: z.int().nullable() }),
	spans_today: z
		.int()
		.nullable()
		.describe("Spans sent since midnight UTC, some seconds ago; null without a limit on them."),
	last_used_ip: z.string().nullable(),
	last_refused_at: wireTime.nullable().describe("To the minute."),
	last_refused_code: z.string().nullable().describe("Code of the error."),
	replaces: z.string().nullable().describe("The key in whose place a rotation put this one."),
	replaced_by: z.string().nullable(),
});
const UserName = z.object({ id: z.string(), username: z.string() });
const secret = { key: z.string().describe("The key itself. It is shown only this once and not stored.") };

export const UserApiKey = Key.meta({ id: "UserApiKey" });
export const CreatedUserApiKey = UserApiKey.extend(secret).meta({ id: "CreatedUserApiKey" });
export const OwnedApiKey = UserApiKey.extend({
	user: UserName.extend({
		email: z.string().describe("Empty for an LDAP user without one."),
		role: z.enum(ROLES).describe("Whose key does no more than this role may."),
	}),
}).meta({ id: "OwnedApiKey" });
export const SystemApiKey = Key.extend({
	created_by: UserName.optional().describe("Absent if the user was deleted; the key outlives them."),
}).meta({ id: "SystemApiKey" });
export const CreatedSystemApiKey = SystemApiKey.extend(secret).meta({ id: "CreatedSystemApiKey" });

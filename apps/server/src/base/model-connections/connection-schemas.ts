import { z } from "zod";
import { parseWebAddress } from "../settings/address-kinds.ts";
import {
	CONNECTION_APIS,
	CONNECTION_KINDS,
	CREDENTIAL_FIELDS,
	type CredentialField,
	type SettingField,
} from "./kinds.ts";

/** Connections of one installation. */
export const MAX_CONNECTIONS = 100;
const MAX_NAME = 100;
const MAX_URL = 2_000;
const MAX_MODELS = 1_000;
const MAX_MODEL_NAME = 200;
const MAX_SETTING = 200;
const MAX_CREDENTIAL = 16_384;
/** Of one request; how many a connection may have is checked with those that it has. */
const MAX_HEADERS = 100;
const MAX_HEADER_NAME = 100;
const MAX_HEADER_VALUE = 4_096;
const MAX_USD = 1_000_000;

/** No colon: `<connection>:<model>` names both. */
const name = z
	.string()
	.trim()
	.min(1)
	.max(MAX_NAME)
	.refine((text) => !/[:\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text), "A name has no colon and no control characters")
	.refine((text) => text.isWellFormed(), "the text has half of a surrogate pair");

/** An address without user, query and fragment, spelled in one way, without a slash at its end. */
const baseUrl = z
	.string()
	.max(MAX_URL)
	.transform((text, context) => {
		const url = parseWebAddress(text.trim());
		if (url === undefined || url.username !== "" || url.password !== "" || /[?#]/.test(text)) {
			context.addIssue({
				code: "custom",
				message: "Should be an absolute http or https address with a host, without user, query and fragment",
			});
			return z.NEVER;
		}
		return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
	})
	.describe("Where the kind's own address is not meant; needed for `openai_compatible` and `azure_openai`.");

const modelName = z
	.string()
	.min(1)
	.max(MAX_MODEL_NAME)
	.refine((model) => !/[\s\p{Cc}\p{Cf}]/u.test(model), "A model's name has no white space");

/** They become part of an address, or a header. */
const settingValue = z
	.string()
	.max(MAX_SETTING)
	.regex(/^[\w.:-]+$/, "Should have letters, digits and . _ : - only");

/** Part of the name of a host. */
const label = z
	.string()
	.regex(/^[a-z][a-z0-9-]{0,62}$/, "Should have lower-case letters, digits and - only, and begin with a letter");

const settings = z
	.strictObject({
		region: label.nullish(),
		project: settingValue.nullish(),
		location: label.nullish(),
		api_version: settingValue.nullish(),
		organization: settingValue.nullish(),
	} satisfies Record<SettingField, z.ZodType>)
	.describe(
		"`region` of aws_bedrock, `project` and `location` of google_vertex, `api_version` of azure_openai, `organization` and `project` of openai.",
	);

const visible = /^[\x21-\x7e]+$/;

function credentialValue(field: CredentialField) {
	const text = z.string().trim().min(1).max(MAX_CREDENTIAL);
	if (field === "service_account") return text.refine(isServiceAccount, SERVICE_ACCOUNT_FORM);
	if (field === "tenant_id") return text.regex(/^[\w.-]+$/, "Should have letters, digits and . _ - only");
	return text.regex(visible, "Should have visible ASCII characters only");
}

const SERVICE_ACCOUNT_FORM = "Should be the JSON of a service account, with client_email and private_key";

function isServiceAccount(text: string): boolean {
	try {
		const { client_email: email, private_key: key } = z
			.object({ client_email: z.string(), private_key: z.string() })
			.parse(JSON.parse(text));
		return email !== "" && key.includes("PRIVATE KEY");
	} catch (error) {
		if (error instanceof SyntaxError || error instanceof z.ZodError) return false;
		throw error;
	}
}

const secretName = z
	.string()
	.max(255)
	.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "Should be the name of a secret");

/** @returns the schema of an object with any of the credentials, each as `of` says */
function credentialsWith<T extends z.ZodType>(of: (field: CredentialField) => T) {
	const shape = Object.fromEntries(CREDENTIAL_FIELDS.map((field) => [field, of(field)]));
	return z.strictObject(shape as Record<CredentialField, T>);
}

function onlyValue(field: CredentialField) {
	return z.strictObject({ value: credentialValue(field) });
}

/** One object rather than two, so that an error names the member that is wrong. */
function valueOrSecret(field: CredentialField) {
	return z
		.strictObject({ value: credentialValue(field).optional(), secret: secretName.optional() })
		.refine(
			({ value, secret }) => (value === undefined) !== (secret === undefined),
			"Should have either value or secret",
		);
}

/** RFC 9110, section 5.6.2. */
const headerName = z
	.string()
	.min(1)
	.max(MAX_HEADER_NAME)
	.regex(/^[\w!#$%&'*+.^`|~-]+$/, "Should be the name of a header");
const headerValue = z
	.string()
	.trim()
	.min(1)
	.max(MAX_HEADER_VALUE)
	.regex(/^[\x20-\x7e\t]+$/, "Should have printable ASCII characters only");

function headersWith<T extends z.ZodType>(value: T) {
	return z
		.record(headerName, value)
		.refine((headers) => Object.keys(headers).length <= MAX_HEADERS, "Too many headers")
		.refine(
			(headers) =>
				new Set(Object.keys(headers).map((header) => header.toLowerCase())).size === Object.keys(headers).length,
			"A header is there twice, in another case",
		)
		.transform((headers) =>
			Object.fromEntries(Object.entries(headers).map(([header, of]) => [header.toLowerCase(), of])),
		);
}

const who = z.enum(["members", "admins"]);
const perMinute = z.int().min(1).max(1_000_000_000);

/** What a connection is, beside its name, kind, credentials and headers; all of it may be absent. */
const MEMBERS = {
	base_url: baseUrl.nullish(),
	api: z.enum(CONNECTION_APIS).nullish().describe("Of the kinds that have both."),
	settings: settings.nullish(),
	models: z
		.array(modelName)
		.max(MAX_MODELS)
		.transform((models) => [...new Set(models)])
		.nullish()
		.describe("Names that may be used; null: all."),
	default_model: modelName.nullish(),
	enabled: z.boolean().optional(),
	use_by: who.optional(),
	rules_by: who.optional().describe("Who may switch on a rule that sends live traffic; `admins` when absent."),
	max_concurrency: z.int().min(1).max(256).optional().describe("Calls at once, over all servers; 8 when absent."),
	requests_per_minute: perMinute.nullish(),
	tokens_per_minute: perMinute.nullish(),
	monthly_budget_usd: z.number().gte(0).lte(MAX_USD).nullish().describe("Dollars a month (UTC), over all servers."),
	timeout_seconds: z.int().min(5).max(3_600).optional().describe("Until the first byte of an answer; 120 when absent."),
};

export const CreateModelConnectionBody = z
	.object({
		name,
		kind: z.enum(CONNECTION_KINDS),
		...MEMBERS,
		credentials: credentialsWith((field) => valueOrSecret(field).nullish())
			.nullish()
			.describe("Each as `value`, which is stored encrypted, or as `secret`, the name of a stored secret."),
		headers: headersWith(headerValue).nullish().describe("Sent with each request; values are stored encrypted."),
	})
	.meta({ id: "CreateModelConnectionBody" });

/** Absent members stay. */
export const UpdateModelConnectionBody = z
	.object({
		name: name.optional(),
		kind: z.enum(CONNECTION_KINDS).optional(),
		...MEMBERS,
		credentials: credentialsWith((field) => valueOrSecret(field).nullish())
			.nullish()
			.describe("Absent ones stay; null deletes."),
		headers: headersWith(headerValue.nullable()).nullish().describe("Absent ones stay; null deletes."),
	})
	.meta({ id: "UpdateModelConnectionBody" });

/** An entry of `SERVICE_MODEL_CONNECTIONS`: as POST takes it, but nothing unknown, and no names of secrets. */
export const DeclaredConnectionBody = z.strictObject({
	name,
	kind: z.enum(CONNECTION_KINDS),
	...MEMBERS,
	credentials: credentialsWith((field) => onlyValue(field).nullish()).nullish(),
	headers: headersWith(headerValue).nullish(),
});

import { z } from "zod";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { parseJson } from "#http/parse-json.ts";
import { shownText } from "../sign-in/facts.ts";
import type { Outgoing } from "./outgoing.ts";
import { OutgoingError } from "./outgoing.ts";
import { outgoingFault } from "./outgoing-faults.ts";
import { ProviderFault } from "./provider-fault.ts";

const names = z.array(z.string()).optional().catch(undefined);

/** OpenID Connect Discovery 1.0, 3: the part that is used. */
const Metadata = z.object({
	issuer: z.string().min(1).max(2_048),
	authorization_endpoint: z.string(),
	token_endpoint: z.string(),
	jwks_uri: z.string(),
	userinfo_endpoint: z.string().optional(),
	/** RFC 9207, 3 */
	authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
	id_token_signing_alg_values_supported: names,
	token_endpoint_auth_methods_supported: names,
	code_challenge_methods_supported: names,
	scopes_supported: names,
});

export type Metadata = z.output<typeof Metadata>;

const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"] as const;
const WELL_KNOWN = "/.well-known/openid-configuration";

/**
 * Reads a discovery document, and refuses one of another issuer or with endpoints that may not be asked.
 * @throws ProviderFault
 */
export function readMetadata(provider: OAuth2Provider, text: string, outgoing: Outgoing): Metadata {
	const parsed = Metadata.safeParse(parseJson(text));
	if (!parsed.success) {
		const missing = parsed.error.issues.map(({ path }) => path.join(".") || "a JSON object");
		throw new ProviderFault(
			"discovery",
			"There is no discovery document at its address, which has to end with /.well-known/openid-configuration.",
			{
				code: "oauth_error",
				settings: [`${provider.prefix}OIDC_CONFIG_URL`],
				facts: [{ name: "Missing", value: [...new Set(missing)].join(", ") }],
			},
		);
	}
	const metadata = parsed.data;
	checkIssuer(provider, metadata.issuer);
	for (const name of ENDPOINTS) checkEndpoint(provider, outgoing, name, metadata[name]);
	return metadata;
}

/** The issuer to which a discovery document at this address belongs; undefined if the address does not show it. */
export function issuerOf(configUrl: string): string | undefined {
	const { origin, pathname } = new URL(configUrl);
	return pathname.endsWith(WELL_KNOWN) ? origin + pathname.slice(0, -WELL_KNOWN.length) : undefined;
}

/** What Microsoft Entra ID writes for the tenant in metadata for several tenants. */
const TENANT_PLACE = "{tenantid}";
const TENANT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The issuer that a provider's metadata names; undefined if it is for several tenants and `tenant` is not a valid one.
 */
export function issuerFor(metadataIssuer: string, tenant: unknown): string | undefined {
	if (!metadataIssuer.includes(TENANT_PLACE)) return metadataIssuer;
	if (typeof tenant !== "string" || !TENANT.test(tenant)) return undefined;
	return metadataIssuer.replace(TENANT_PLACE, () => tenant);
}

/** Whether `issuer` is the one in the metadata, with any tenant. */
export function isIssuer(metadataIssuer: string, issuer: string): boolean {
	const [before = "", after = ""] = metadataIssuer.split(TENANT_PLACE);
	return issuer === issuerFor(metadataIssuer, issuer.slice(before.length, issuer.length - after.length));
}

function checkIssuer({ prefix, configUrl, allowIssuerMismatch }: OAuth2Provider, issuer: string): void {
	const expected = issuerOf(configUrl);
	// Discovery 1.0, 4.1: a slash at the issuer's end is left out of the address.
	if (allowIssuerMismatch || (expected !== undefined && expected === issuer.replace(/\/$/, ""))) return;
	throw new ProviderFault(
		"discovery",
		`The discovery document names another issuer than its address: set ${prefix}OIDC_CONFIG_URL to the issuer followed by ${WELL_KNOWN}, or, when the provider answers for several tenants, ${prefix}ALLOW_ISSUER_MISMATCH=true.`,
		{
			code: "oauth_error",
			settings: [`${prefix}OIDC_CONFIG_URL`, `${prefix}ALLOW_ISSUER_MISMATCH`],
			facts: [
				{ name: "Issuer of the document", value: shownText(issuer) },
				...(expected === undefined ? [] : [{ name: "Issuer by the address", value: expected }]),
			],
		},
	);
}

function checkEndpoint(
	{ prefix }: OAuth2Provider,
	outgoing: Outgoing,
	name: (typeof ENDPOINTS)[number],
	address: string | undefined,
): void {
	if (address === undefined) return;
	try {
		outgoing.checkAddress(address);
	} catch (error) {
		if (!(error instanceof OutgoingError)) throw error;
		throw outgoingFault(error, { step: "discovery", what: `its ${name}`, address, code: "oauth_error" }, prefix);
	}
}

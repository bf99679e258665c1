import type { TokenRequest } from "./access-tokens.ts";

interface Client {
	readonly baseUrl: string;
	readonly tenant: string;
	readonly client: string;
	readonly secret: string;
}

/** Microsoft's public authorities: no other is ever given a client's secret. */
const CLOUDS = [
	{
		suffix: ".azure.us",
		authority: "https://login.microsoftonline.us",
		scope: "https://cognitiveservices.azure.us/.default",
	},
	{
		suffix: ".azure.cn",
		authority: "https://login.partner.microsoftonline.cn",
		scope: "https://cognitiveservices.azure.cn/.default",
	},
] as const;
const PUBLIC = {
	authority: "https://login.microsoftonline.com",
	scope: "https://cognitiveservices.azure.com/.default",
};

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
export function microsoftTokenRequest({ baseUrl, tenant, client, secret }: Client, address?: string): TokenRequest {
	const { hostname } = new URL(baseUrl);
	const cloud = CLOUDS.find(({ suffix }) => hostname.endsWith(suffix)) ?? PUBLIC;
	return {
		url: `${address ?? cloud.authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
		form: new URLSearchParams({
			grant_type: "client_credentials",
			client_id: client,
			client_secret: secret,
			scope: cloud.scope,
		}),
	};
}

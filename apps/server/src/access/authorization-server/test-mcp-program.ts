import type { OAuthClientProvider } from "@modelcontextprotocol/client";

/** What the client of the MCP SDK asks a program to keep, and where it has sent the user last. */
export interface TestMcpProgram {
	readonly provider: OAuthClientProvider;
	readonly kept: { readonly tokens?: unknown; readonly address?: URL };
}

/** A program that uses the client of the MCP SDK, and keeps what that asks it to. */
export function testMcpProgram(name: string, redirectUrl: string): TestMcpProgram {
	const kept: { client?: unknown; tokens?: unknown; verifier?: string; discovered?: unknown; address?: URL } = {};
	const provider: OAuthClientProvider = {
		redirectUrl,
		clientMetadata: { client_name: name, redirect_uris: [redirectUrl] },
		clientInformation: () => kept.client as undefined,
		saveClientInformation(client) {
			kept.client = client;
		},
		tokens: () => kept.tokens as undefined,
		saveTokens(tokens) {
			kept.tokens = tokens;
		},
		saveDiscoveryState(state) {
			kept.discovered = state;
		},
		discoveryState: () => kept.discovered as undefined,
		redirectToAuthorization(to) {
			kept.address = to;
		},
		saveCodeVerifier(verifier) {
			kept.verifier = verifier;
		},
		codeVerifier: () => kept.verifier ?? "",
	};
	return { provider, kept };
}

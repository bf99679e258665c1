/** What the tests use of the package, which brings no types. */
declare module "oidc-provider" {
	import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

	interface Interaction {
		readonly params: { readonly client_id: string; readonly scope?: string; readonly login_hint?: string };
		readonly prompt: { readonly name: string };
		readonly session?: { readonly accountId: string };
	}

	export default class Provider {
		constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
		readonly Grant: new (of: {
			readonly accountId: string;
			readonly clientId: string;
		}) => { addOIDCScope(scope: string): void; save(): Promise<string> };
		callback(): RequestListener;
		interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
		interactionFinished(
			request: IncomingMessage,
			response: ServerResponse,
			result: Readonly<Record<string, unknown>>,
			options?: { readonly mergeWithLastSubmission?: boolean },
		): Promise<void>;
		on(event: string, listener: (...args: unknown[]) => void): this;
	}
}

declare module "oidc-provider/lib/adapters/memory_adapter.js" {
	const MemoryAdapter: new (name: string) => object;
	export default MemoryAdapter;
}

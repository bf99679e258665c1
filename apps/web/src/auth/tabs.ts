import { config } from "../lib/config.ts";

/** What tabs of this browser tell each other about the session, whose cookies they share. */
export type TabMessage =
	| { readonly kind: "logged-in"; readonly userId: string }
	/** Somebody logged out here. */
	| { readonly kind: "logged-out" };

const channel =
	typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(`spanward.session${config.basePath}`);

/** Tells the other tabs, not this one. */
export function broadcastToTabs(message: TabMessage): void {
	channel?.postMessage(message);
}

/** @returns stops listening */
export function onTabMessage(listener: (message: TabMessage) => void): () => void {
	const receive = (event: MessageEvent) => {
		const message: unknown = event.data;
		if (isTabMessage(message)) listener(message);
	};
	channel?.addEventListener("message", receive);
	return () => channel?.removeEventListener("message", receive);
}

function isTabMessage(value: unknown): value is TabMessage {
	if (typeof value !== "object" || value === null || !("kind" in value)) return false;
	return value.kind === "logged-out" || (value.kind === "logged-in" && "userId" in value);
}

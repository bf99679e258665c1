import { forgetAutoLogIn } from "../../auth/auto-log-in.ts";
import { sessionFetch } from "../../auth/session-fetch.ts";
import { config } from "../../lib/config.ts";
import type { Permission } from "../../limits/permissions.ts";
import { offline, type Refusal, toRefusal } from "../requests.ts";

/** What can be given to a program: what a key can have, and administration. */
export type ProgramPermission = Permission | "admin";

/** What a program asks for, as `GET /oauth2/authorize/request` answers. */
export interface AskedAccess {
	readonly client: {
		readonly client_id: string;
		readonly name: string;
		readonly kind: "seeded" | "registered" | "admin" | "metadata";
		readonly created_at: string;
	};
	readonly user: {
		readonly username: string;
		readonly email: string | null;
		readonly role: "ADMIN" | "MEMBER" | "VIEWER";
	};
	/** Null when it did not say. */
	readonly requested: readonly ProgramPermission[] | null;
	/** Chosen at first. */
	readonly suggested: readonly ProgramPermission[];
	/** What the user's role allows. */
	readonly available: readonly ProgramPermission[];
	readonly resource: { readonly kind: "api" | "mcp" };
	readonly max_days: number;
}

/** Of a program that a browser goes back to. */
export interface ConsentRequest extends AskedAccess {
	/** `host` with its port; of a `scheme` that with its colon. */
	readonly redirect: { readonly kind: "loopback" | "scheme" | "https"; readonly host: string };
}

/** Of a program that shows a code. */
export interface DeviceRequest extends AskedAccess {
	readonly user_code: string;
	readonly asked_at: string;
	readonly ip: string;
	readonly user_agent: string | null;
}

/** What the user decides; everything but `approved` is absent when it is denied. */
export interface Decision {
	readonly approved: boolean;
	readonly permissions?: readonly ProgramPermission[];
	/** Ids; absent for all projects and the library. */
	readonly projects?: readonly string[];
	readonly include_library?: boolean;
	readonly days?: number;
}

export type Answer<Data> = { readonly data: Data } | { readonly refusal: Refusal };

const ANSWER_WITHIN_MS = 30_000;

/**
 * Sends a request of the logged-in user. Where nobody is logged in, the browser goes to the log-in page and comes back,
 * and the promise never settles.
 */
export async function ask<Data>(method: "GET" | "POST", path: string, body?: unknown): Promise<Answer<Data>> {
	try {
		const response = await sessionFetch(`${config.basePath}${path}`, {
			method,
			headers: {
				accept: "application/json, application/problem+json",
				...(body === undefined ? {} : { "content-type": "application/json" }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
		});
		if (!response.ok) return { refusal: await toRefusal(response) };
		forgetAutoLogIn();
		return { data: (response.status === 204 ? undefined : await response.json()) as Data };
	} catch (error) {
		if (error instanceof TypeError || error instanceof DOMException) return { refusal: offline() };
		throw error;
	}
}

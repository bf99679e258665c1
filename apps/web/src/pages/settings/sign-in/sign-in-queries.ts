import type {
	SignInDirectory,
	SignInProvider,
	SignInState,
	SignInStep,
	SignInTry,
	TestMailReport,
} from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

export type { SignInDirectory, SignInProvider, SignInState, SignInStep, SignInTry };

/** The server contacts every provider and directory for it, so it is loaded only with the page and on demand. */
export const signInQuery = queryOptions({
	queryKey: ["sign-in"],
	queryFn: async ({ signal }) => (await api.get("/v1/sign_in", { signal })).data,
	staleTime: Number.POSITIVE_INFINITY,
	gcTime: 0,
	retry: false,
});

/** The report of a try with a provider; its id is in the address to which the provider sends the browser back. */
export function signInTryQuery(id: string) {
	return queryOptions({
		queryKey: ["sign-in-try", id],
		queryFn: async ({ signal }) => (await api.get("/v1/sign_in/tries/{try_id}", { path: { try_id: id }, signal })).data,
		staleTime: Number.POSITIVE_INFINITY,
		gcTime: 0,
		retry: false,
	});
}

/** @returns the address to which the browser has to go */
export async function startTry(providerId: string, asksAgain: boolean): Promise<string> {
	const { data } = await api.post("/v1/sign_in/providers/{provider_id}/try", {
		path: { provider_id: providerId },
		body: asksAgain ? { prompt: "login" } : {},
	});
	return data.authorization_url;
}

export async function sendTestMail(to: string): Promise<TestMailReport> {
	return (await api.post("/v1/sign_in/mail/try", { body: { to: to.trim() } })).data;
}

export interface LdapQuestion {
	readonly username: string;
	/** Empty to only look the person up. */
	readonly password: string;
}

export async function tryLdap({ username, password }: LdapQuestion): Promise<SignInTry> {
	const body = { username: username.trim(), ...(password === "" ? {} : { password }) };
	return (await api.post("/v1/sign_in/ldap/try", { body })).data;
}

import { queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

async function listLoginSessions(signal: AbortSignal) {
	return (await api.get("/v1/user/sessions", { signal })).data;
}

export type LoginSession = Awaited<ReturnType<typeof listLoginSessions>>[number];

/** One's own log-in sessions. */
export const loginSessionsQuery = queryOptions({
	queryKey: ["login-sessions"],
	queryFn: ({ signal }) => listLoginSessions(signal),
});

import type { User } from "@spanward/client";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

export type { User };

/** Large, as the search runs in the browser. */
const PAGE_SIZE = 500;

/** All users, newest first. */
export const userPages = infiniteQueryOptions({
	queryKey: ["users"],
	initialPageParam: undefined as string | undefined,
	queryFn: ({ pageParam, signal }) =>
		api.get("/v1/users", { query: { limit: PAGE_SIZE, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
	getNextPageParam: (page) => page.next_cursor ?? undefined,
});

/** Roles that may be given. */
export const ROLES = ["ADMIN", "MEMBER", "VIEWER"] as const;
export type GivenRole = (typeof ROLES)[number];

export function toGivenRole(role: User["role"]): GivenRole {
	return role === "SYSTEM" ? "VIEWER" : role;
}

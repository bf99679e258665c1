import { ApiError } from "@spanward/client";
import type { ReactNode } from "react";
import { FormError } from "../ui/form-error.tsx";

/** Why the server refused a version: each place with what is wrong there, or what it says of the whole. */
export function ServerIssues({ error }: { error: Error | null }): ReactNode {
	if (!(error instanceof ApiError) || error.issues.length === 0) return <FormError error={error} />;
	return (
		<ul role="alert" className="rounded bg-danger-soft px-3 py-2 text-danger [overflow-wrap:anywhere]">
			{error.issues.map(({ loc, msg }) => {
				const place = loc.filter((part) => part !== "body" && part !== "version").join(".");
				return <li key={`${place} ${msg}`}>{place === "" ? msg : `${place}: ${msg.replace(/^Value error, /, "")}`}</li>;
			})}
		</ul>
	);
}

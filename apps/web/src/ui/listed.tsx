import type { ReactNode } from "react";
import { ErrorState } from "./error-state.tsx";
import { SkeletonRows } from "./skeleton.tsx";

/** What a query brought, or in its place that it is on its way or failed. */
export function Loaded<Data>({
	data,
	query,
	children,
}: {
	data: Data | undefined;
	query: { readonly error: Error | null; readonly refetch: () => Promise<unknown> };
	children: (data: Data) => ReactNode;
}): ReactNode {
	if (data !== undefined) return children(data);
	if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
	return <SkeletonRows rows={5} />;
}

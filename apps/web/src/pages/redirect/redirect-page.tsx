import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Found, foundQuery } from "../../lib/find-ids.ts";
import { LOOK_MS } from "../../lib/look-again.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { projectSlug } from "../../lib/project-slug.ts";
import { projectPages } from "../../lib/projects.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { texts } from "../../texts/en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";

const route = getRouteApi("/redirects/$kind/$id");

/** Redirects from addresses with a trace, span or session but no project, as other tools print them. */
export function RedirectPage(): ReactNode {
	const { id } = route.useParams();
	const isMissing = ({ state }: { readonly state: { readonly data?: readonly Found[] | undefined } }) =>
		state.data?.length === 0 ? LOOK_MS : false;
	const pages = useInfiniteQuery({ ...projectPages(undefined), refetchInterval: LOOK_MS });
	const projects = pages.data?.pages.flatMap((page) => page.data) ?? [];
	const found = useQuery({
		...foundQuery(id, undefined, projects),
		enabled: projects.length > 0,
		refetchInterval: isMissing,
		placeholderData: keepPreviousData,
	});
	usePageTitle(id);
	const all = pages.data && projects.length === 0 ? [] : found.data;
	const [first] = all ?? [];
	if (first) return <Target found={first} />;
	const error = pages.error ?? found.error;
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
				<h1 className="sr-only">{id}</h1>
				{error && <ErrorState error={error} onRetry={() => void found.refetch()} />}
				{!error && !all && <SkeletonRows />}
				{all && (
					<EmptyState
						title={texts.error.idMissing(id)}
						text={texts.error.idMissingText}
						actions={
							<Link to="/" className={buttonClass("primary")}>
								{texts.error.back}
							</Link>
						}
					/>
				)}
			</main>
		</>
	);
}

function Target({ found }: { found: Found }): ReactNode {
	const { traceId = "", spanId, sessionId = "" } = found;
	const project = projectSlug(found.project);
	if (found.kind === "session") {
		return <Navigate to="/p/$project/sessions/$session" params={{ project, session: sessionId }} replace />;
	}
	return (
		<Navigate
			to="/p/$project/traces/$trace"
			params={{ project, trace: traceId }}
			search={spanId ? { span: spanId } : {}}
			replace
		/>
	);
}

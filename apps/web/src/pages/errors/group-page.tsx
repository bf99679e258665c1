import type { ErrorGroupDetail } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import { isNotHere } from "../../lib/look-again.ts";
import { notHere } from "../../lib/not-here.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { useMayIn } from "../../lib/project-role.ts";
import { projectQuery } from "../../lib/projects.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { TextContent } from "../../ui/content/text-content.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { ActivityPart } from "./activity-part.tsx";
import { AssignDialog } from "./assign-dialog.tsx";
import { CommentsPart } from "./comments-part.tsx";
import { FiguresPart } from "./figures-part.tsx";
import { FingerprintsPart } from "./fingerprints-part.tsx";
import { GroupHeader } from "./group-header.tsx";
import { GroupPart } from "./group-part.tsx";
import { OccurrencesPart } from "./occurrences-part.tsx";
import { groupQuery } from "./queries.ts";
import { ReleaseChart } from "./release-chart.tsx";
import { SamplesPart } from "./samples-part.tsx";
import { SimilarPart } from "./similar-part.tsx";
import { StackPart } from "./stack-part.tsx";
import { useGroupChanges } from "./use-group-changes.ts";
import { UsersPart } from "./users-part.tsx";
import { WhyPart } from "./why-part.tsx";

const route = getRouteApi("/p/$project/errors/$group");

/** One group of errors. */
export function ErrorGroupPage(): ReactNode {
	const { project, group: id } = route.useParams();
	const range = route.useSearch();
	const query = useQuery(groupQuery(id, range));
	const { data: ofProject } = useQuery(projectQuery(project));
	usePageTitle(query.data?.title ?? TEXTS.title, ofProject?.name ?? project);
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			{query.data === undefined && <h1 className="sr-only">{TEXTS.title}</h1>}
			{query.data !== undefined ? (
				<Group key={id} project={project} group={query.data} />
			) : isNotHere(query.error) ? (
				<EmptyState
					{...notHere({ title: TEXTS.missing, text: TEXTS.missingText })}
					actions={
						<Link to="/p/$project/errors" params={{ project }} search={range} className={buttonClass()}>
							{TEXTS.key.backToList}
						</Link>
					}
				/>
			) : query.error ? (
				<ErrorState error={query.error} onRetry={() => void query.refetch()} />
			) : (
				<SkeletonRows rows={20} className="p-4" />
			)}
		</div>
	);
}

function Group({ project, group }: { project: string; group: ErrorGroupDetail }): ReactNode {
	const navigate = route.useNavigate();
	const range = route.useSearch();
	const mayChange = useMayIn(project)("editor");
	const changes = useGroupChanges();
	const [isAssigning, setAssigning] = useState(false);
	const comment = useRef<HTMLTextAreaElement>(null);
	const back = () => void navigate({ to: "/p/$project/errors", params: { project }, search: range });
	const unlessNow = (state: ErrorGroupDetail["state"]) => () =>
		group.state === state ? false : changes.change([group], { state });
	useShortcuts({
		title: TEXTS.title,
		shortcuts: [
			{ keys: ["Escape"], label: TEXTS.key.backToList, run: back },
			...(mayChange
				? [
						{ keys: ["r"], label: TEXTS.key.resolve, run: unlessNow("resolved") },
						{ keys: ["i"], label: TEXTS.key.ignore, run: unlessNow("ignored") },
						{ keys: ["o"], label: TEXTS.key.reopen, run: unlessNow("open") },
						{ keys: ["a"], label: TEXTS.key.assign, run: () => setAssigning(true) },
						{ keys: ["u"], label: TEXTS.key.undo, run: changes.undo },
						{ keys: ["c"], label: TEXTS.key.comment, run: () => comment.current?.focus() },
					]
				: []),
		],
	});
	return (
		<div className="mx-auto flex max-w-6xl flex-col gap-5 p-4">
			<GroupHeader
				project={project}
				group={group}
				range={range}
				changes={changes}
				mayChange={mayChange}
				onAssign={() => setAssigning(true)}
			/>
			<div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
				<div className="flex min-w-0 flex-col gap-5">
					<ReleaseChart group={group} />
					<GroupPart title={TEXTS.message}>
						<TextContent text={group.message} plain />
					</GroupPart>
					<SamplesPart project={project} group={group} />
					<StackPart frames={group.grouping.frames} />
					<WhyPart grouping={group.grouping} />
					<OccurrencesPart project={project} group={group} range={range} />
				</div>
				<div className="flex min-w-0 flex-col gap-5">
					<FiguresPart group={group} />
					<UsersPart project={project} group={group} range={range} />
					<CommentsPart group={group} mayWrite={mayChange} fieldRef={comment} />
					<ActivityPart project={project} group={group} />
					<SimilarPart project={project} group={group} range={range} mayChange={mayChange} />
					{group.fingerprints.length > 1 && <FingerprintsPart group={group} mayChange={mayChange} />}
				</div>
			</div>
			{isAssigning && (
				<AssignDialog
					project={project}
					groups={[group]}
					onAssign={(id) => {
						changes.change([group], { assignee_id: id });
						setAssigning(false);
					}}
					onClose={() => setAssigning(false)}
				/>
			)}
		</div>
	);
}

import type { ErrorGroup, ErrorGroupDetail } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { formatInteger } from "../../lib/format.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { GroupPart } from "./group-part.tsx";
import { similarQuery } from "./queries.ts";

interface SimilarProps {
	readonly project: string;
	readonly group: ErrorGroupDetail;
	readonly range: TimeRangeSearch;
	readonly mayChange: boolean;
}

/** Groups that may have the same cause, to be merged into this one. */
export function SimilarPart({ project, group, range, mayChange }: SimilarProps): ReactNode {
	const query = useQuery(similarQuery(group.id));
	const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
	const [isAsking, ask] = useState(false);
	const toggle = (id: string) =>
		choose((before) => {
			const next = new Set(before);
			if (!next.delete(id)) next.add(id);
			return next;
		});
	return (
		<GroupPart title={TEXTS.similar} text={query.data?.length === 0 ? TEXTS.noSimilar : TEXTS.similarText}>
			<Loaded data={query.data} query={query}>
				{(groups) => (
					<ul className="flex flex-col gap-1">
						{groups.map((each) => (
							<li key={each.id} className="flex items-center gap-2">
								{mayChange && (
									<input
										type="checkbox"
										aria-label={TEXTS.mergeThis(each.title)}
										checked={chosen.has(each.id)}
										onChange={() => toggle(each.id)}
									/>
								)}
								<SimilarLink project={project} group={each} range={range} />
							</li>
						))}
					</ul>
				)}
			</Loaded>
			{chosen.size > 0 && (
				<Button className="self-start" onClick={() => ask(true)}>
					{TEXTS.mergeSelected(chosen.size)}
				</Button>
			)}
			{isAsking && (
				<MergeDialog
					into={group.id}
					ids={[...chosen]}
					onMerged={() => {
						choose(new Set());
						ask(false);
					}}
					onClose={() => ask(false)}
				/>
			)}
		</GroupPart>
	);
}

function SimilarLink({
	project,
	group,
	range,
}: {
	project: string;
	group: ErrorGroup;
	range: TimeRangeSearch;
}): ReactNode {
	return (
		<>
			<Link
				to="/p/$project/errors/$group"
				params={{ project, group: group.id }}
				search={range}
				title={group.title}
				className="min-w-0 flex-1 truncate hover:text-accent hover:underline"
			>
				{group.title}
			</Link>
			<span className="text-muted text-sm">{formatInteger(group.count)}</span>
		</>
	);
}

function MergeDialog({
	into,
	ids,
	onMerged,
	onClose,
}: {
	into: string;
	ids: readonly string[];
	onMerged: () => void;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const merge = useMutation({
		mutationFn: () =>
			api.post("/v1/error_groups/{error_group_id}/merge", { path: { error_group_id: into }, body: { ids: [...ids] } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["error-group", into] });
			await queries.invalidateQueries({ queryKey: ["error-groups"] });
			onMerged();
		},
	});
	return (
		<ConfirmDialog title={TEXTS.mergeTitle} action={TEXTS.merge} mutation={merge} onClose={onClose}>
			<p>{TEXTS.mergeText(ids.length)}</p>
		</ConfirmDialog>
	);
}

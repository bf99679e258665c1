import type { Experiment } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import Ellipsis from "lucide-react/icons/ellipsis";
import { type ReactNode, Suspense, useState } from "react";
import { useMayChangeDataset, useMayReviewRuns } from "../../homes/use-may-change.ts";
import { api } from "../../lib/api.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { experimentJobTexts } from "../../texts/experiment-jobs-en.ts";
import { IconButton } from "../../ui/button.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { DeleteExperimentDialog, EditExperimentDialog } from "./experiment-dialogs.tsx";
import { incompleteRuns } from "./queries.ts";
import { ResumeDialog } from "./resume-dialog.tsx";
import { TagsDialog } from "./tags-dialog.tsx";

const EvaluateExperimentDialog = lazyPart(
	() => import("./evaluate-experiment-dialog.tsx"),
	"EvaluateExperimentDialog",
	{ isOver: true },
);
const ReviewRunsDialog = lazyPart(() => import("./review-runs-dialog.tsx"), "ReviewRunsDialog", { isOver: true });

const TEXTS = dataTexts.experiments;

/** Actions on one experiment. */
export function ExperimentMenu({
	experiment,
	onDeleted,
}: {
	experiment: Experiment;
	onDeleted?: (() => void) | undefined;
}): ReactNode {
	const [dialog, setDialog] = useState<"tags" | "edit" | "delete" | "resume" | "evaluate" | "review">();
	const close = () => setDialog(undefined);
	const file = (path: "/v1/experiments/{experiment_id}/json" | "/v1/experiments/{experiment_id}/csv") =>
		api.url(path, { path: { experiment_id: experiment.id } });
	return (
		<>
			<Menu
				align="end"
				trigger={
					<IconButton label={TEXTS.actions(experiment.name)} className="size-6">
						<Ellipsis size={15} aria-hidden />
					</IconButton>
				}
			>
				{experiment.project_name !== null && (
					<MenuItem
						render={
							<Link to="/p/$project/traces" params={{ project: experiment.project_name }} search={{ from: "all" }} />
						}
					>
						{TEXTS.traces}
					</MenuItem>
				)}
				<MenuItem render={<a href={file("/v1/experiments/{experiment_id}/json")} download />}>
					{TEXTS.downloadJson}
				</MenuItem>
				<MenuItem render={<a href={file("/v1/experiments/{experiment_id}/csv")} download />}>
					{TEXTS.downloadCsv}
				</MenuItem>
				<IfReviewable dataset={experiment.dataset_id}>
					<MenuSeparator />
					<MenuItem onClick={() => setDialog("review")}>{TEXTS.review}</MenuItem>
				</IfReviewable>
				<IfChangeable dataset={experiment.dataset_id}>
					<MenuSeparator />
					<MenuItem onClick={() => setDialog("evaluate")}>{experimentJobTexts.evaluate}</MenuItem>
					{incompleteRuns(experiment) > 0 && <MenuItem onClick={() => setDialog("resume")}>{TEXTS.resume}</MenuItem>}
					<MenuItem onClick={() => setDialog("tags")}>{TEXTS.tags}</MenuItem>
					<MenuItem onClick={() => setDialog("edit")}>{TEXTS.edit}</MenuItem>
					<MenuItem danger onClick={() => setDialog("delete")}>
						{TEXTS.delete}
					</MenuItem>
				</IfChangeable>
			</Menu>
			<Suspense>
				{dialog === "evaluate" && <EvaluateExperimentDialog experiment={experiment} onClose={close} />}
				{dialog === "review" && (
					<ReviewRunsDialog what={{ experiment: experiment.id }} onAdded={close} onClose={close} />
				)}
			</Suspense>
			{dialog === "tags" && <TagsDialog experiment={experiment} onClose={close} />}
			{dialog === "edit" && <EditExperimentDialog experiment={experiment} onClose={close} />}
			{dialog === "resume" && <ResumeDialog experiment={experiment} onClose={close} />}
			{dialog === "delete" && <DeleteExperimentDialog experiment={experiment} onDeleted={onDeleted} onClose={close} />}
		</>
	);
}

/** Asks only once the menu is open. */
function IfChangeable({ dataset, children }: { dataset: string; children: ReactNode }): ReactNode {
	return useMayChangeDataset(dataset) && children;
}

function IfReviewable({ dataset, children }: { dataset: string; children: ReactNode }): ReactNode {
	return useMayReviewRuns(dataset) && children;
}

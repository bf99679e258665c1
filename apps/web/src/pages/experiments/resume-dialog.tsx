import type { Experiment } from "@spanward/client";
import type { ReactNode } from "react";
import { ownServer } from "../../lib/snippet-server.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { CodeSnippets } from "../../ui/code-snippets.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { incompleteRuns } from "./queries.ts";
import { resumeSnippets } from "./snippets.ts";

const TEXTS = dataTexts.experiments;

/** Code that executes the missing and failed runs. */
export function ResumeDialog({ experiment, onClose }: { experiment: Experiment; onClose: () => void }): ReactNode {
	return (
		<Dialog
			open
			onOpenChange={onClose}
			title={TEXTS.resumeTitle(experiment.name)}
			className="w-[min(44rem,calc(100vw-1rem))]!"
		>
			<div className="flex flex-col gap-3 overflow-auto p-4">
				<p>
					{TEXTS.incomplete(incompleteRuns(experiment))}. {TEXTS.resumeText}
				</p>
				<CodeSnippets snippets={resumeSnippets(ownServer(), experiment.id)} />
			</div>
		</Dialog>
	);
}

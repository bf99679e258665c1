import Braces from "lucide-react/icons/braces";
import Ruler from "lucide-react/icons/ruler";
import Scale from "lucide-react/icons/scale";
import type { ReactNode } from "react";
import { evaluatorTexts } from "../texts/evaluators-en.ts";
import type { Evaluator } from "./queries.ts";

const ICONS = { LLM: Scale, CODE: Braces, BUILT_IN: Ruler };

/** How an evaluator judges, as an icon with its name. */
export function EvaluatorKind({ kind }: { kind: Evaluator["kind"] }): ReactNode {
	const Icon = ICONS[kind];
	return (
		<span className="inline-flex items-center gap-1.5 text-muted">
			<Icon size={14} aria-hidden className="shrink-0" />
			{evaluatorTexts.kinds[kind]}
		</span>
	);
}

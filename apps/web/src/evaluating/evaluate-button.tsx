import Scale from "lucide-react/icons/scale";
import { type ReactNode, Suspense, useState } from "react";
import { useMayIn } from "../lib/project-role.ts";
import { evaluateText } from "../texts/evaluate-en.ts";
import { IconButton } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import type { Evaluated } from "./target.ts";

const EvaluateDialog = lazyPart(() => import("./evaluate-dialog.tsx"), "EvaluateDialog", { isOver: true });

/** Offers to have an evaluator judge this now. */
export function EvaluateButton({
	target,
	onWritten,
}: {
	target: Evaluated;
	onWritten?: (() => void) | undefined;
}): ReactNode {
	const [isOpen, setOpen] = useState(false);
	return (
		<>
			<IconButton label={evaluateText[target.kind]} onClick={() => setOpen(true)} className="size-6">
				<Scale size={14} aria-hidden />
			</IconButton>
			<Suspense>
				{isOpen && <EvaluateDialog target={target} onWritten={onWritten} onClose={() => setOpen(false)} />}
			</Suspense>
		</>
	);
}

/** {@link EvaluateButton} for those who may write to the project, where the evaluator's trace goes, too. */
export function EvaluateInProject(props: {
	target: Exclude<Evaluated, { kind: "run" }>;
	onWritten?: (() => void) | undefined;
}): ReactNode {
	return useMayIn(props.target.project)("editor") && <EvaluateButton {...props} />;
}

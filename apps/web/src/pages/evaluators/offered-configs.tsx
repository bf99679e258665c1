import type { EvaluatorVersionOfEvaluator } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import X from "lucide-react/icons/x";
import { type ReactNode, useState } from "react";
import { ConfigDialog } from "../../annotating/config-dialog.tsx";
import { configsQuery } from "../../annotating/queries.ts";
import { useCan } from "../../lib/me.ts";
import { evaluatorTexts } from "../../texts/evaluators-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { configOfOutput } from "./config-of-output.ts";

const TEXTS = evaluatorTexts.config;

type Output = EvaluatorVersionOfEvaluator["version"]["outputs"][number];

/**
 * Offers an annotation config for each output that has none of its name: people then judge in the same words, and
 * comparisons know which direction is better.
 */
export function OfferedConfigs({
	outputs,
	isJustSaved,
	onLeave,
}: {
	outputs: readonly Output[];
	/** Whether to ask now, and to say where to go on. */
	isJustSaved: boolean;
	onLeave: () => void;
}): ReactNode {
	const can = useCan();
	const { data } = useQuery({ ...configsQuery, enabled: can("write") });
	const [making, setMaking] = useState<Output>();
	const [hasAsked, setAsked] = useState(false);
	if (!can("write") || data === undefined) return null;
	const missing = outputs.filter(({ name }) => !data.some((config) => config.name === name));
	if (missing.length === 0 && !hasAsked) return null;
	return (
		<section
			aria-label={TEXTS.region}
			className={
				isJustSaved ? "mx-4 mb-3 flex items-start gap-2 rounded bg-accent-soft px-3 py-2" : "flex items-start gap-2"
			}
		>
			<div className="flex min-w-0 flex-1 flex-col items-start gap-2">
				{missing.length === 0 ? (
					<p role="status">
						{TEXTS.made}{" "}
						<Link to="/settings/annotation-configs" className="text-accent underline">
							{TEXTS.assign}
						</Link>
					</p>
				) : (
					<>
						<p className={isJustSaved ? "" : "text-muted text-sm"}>{TEXTS.why}</p>
						<span className="flex flex-wrap gap-2">
							{missing.map((output) => (
								<Button
									key={output.name}
									onClick={() => {
										setAsked(true);
										setMaking(output);
									}}
								>
									{TEXTS.make(output.name)}
								</Button>
							))}
						</span>
					</>
				)}
			</div>
			{isJustSaved && (
				<IconButton label={TEXTS.leave} onClick={onLeave}>
					<X size={14} aria-hidden />
				</IconButton>
			)}
			{making && <ConfigDialog start={configOfOutput(making)} onClose={() => setMaking(undefined)} />}
		</section>
	);
}

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { api } from "../lib/api.ts";
import { texts } from "../texts/en.ts";
import { evaluatorTexts } from "../texts/evaluators-en.ts";
import { Button } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/input.tsx";
import { Loaded } from "../ui/listed.tsx";
import { Select } from "../ui/select.tsx";
import { EvaluationResult } from "./evaluation-result.tsx";
import { InputPaths, mappingOf } from "./input-paths.tsx";
import { choosableQuery, type Evaluator, type TryResult, versionQuery } from "./queries.ts";
import { ServerIssues } from "./server-issues.tsx";
import { type Evaluated, targetOf } from "./target.ts";

const TEXTS = evaluatorTexts.now;

export interface EvaluateDialogProps {
	readonly target: Evaluated;
	/** After results were written beside the target. */
	readonly onWritten?: (() => void) | undefined;
	readonly onClose: () => void;
}

/** Has an evaluator judge one thing now. */
export function EvaluateDialog({ target, onWritten, onClose }: EvaluateDialogProps): ReactNode {
	const query = useQuery(choosableQuery);
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.title[target.kind]}>
			<div className="flex min-h-0 flex-col gap-3 overflow-auto p-4">
				<Loaded data={query.data} query={query}>
					{(evaluators) =>
						evaluators.length === 0 ? (
							<>
								<p>{TEXTS.none}</p>
								<Link to="/evaluators" search={{ create: "1" }} className={buttonClass("primary", "self-start")}>
									{evaluatorTexts.create}
								</Link>
							</>
						) : (
							<EvaluateForm evaluators={evaluators} target={target} onWritten={onWritten} onClose={onClose} />
						)
					}
				</Loaded>
			</div>
		</Dialog>
	);
}

function EvaluateForm({
	evaluators,
	target,
	onWritten,
	onClose,
}: EvaluateDialogProps & { evaluators: readonly Evaluator[] }): ReactNode {
	const queries = useQueryClient();
	const [chosen, setChosen] = useState(evaluators.length === 1 ? (evaluators[0]?.id ?? "") : "");
	const [paths, setPaths] = useState<Readonly<Record<string, string>>>({});
	const [annotates, setAnnotates] = useState(true);
	const evaluator = evaluators.find(({ id }) => id === chosen);
	const version = useQuery({
		...versionQuery(evaluator?.latest_version.id ?? ""),
		enabled: evaluator !== undefined,
	});
	const underWay = useRef(new AbortController());
	// A judge that nobody waits for is not asked on.
	useEffect(() => {
		underWay.current = new AbortController();
		return () => underWay.current.abort();
	}, []);
	const evaluate = useMutation({
		mutationFn: async () => {
			const mapping = mappingOf(paths);
			const body = {
				...{ evaluator: chosen, target: targetOf(target), annotate: annotates },
				...(Object.keys(mapping).length === 0 ? {} : { mapping }),
			};
			return (await api.post("/v1/evaluations", { body, signal: underWay.current.signal })).data;
		},
		onSuccess: async (result) => {
			if (!annotates || whatWasWritten(result, target) === "nothing") return;
			const keys =
				target.kind === "run"
					? [["comparison"], ["experiments"], ["experiment"]]
					: [["annotations", target.project, target.kind, target.id]];
			await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
			onWritten?.();
		},
	});
	return (
		<>
			<form
				className="flex flex-col gap-3"
				onSubmit={(event) => {
					event.preventDefault();
					if (!evaluate.isPending) evaluate.mutate();
				}}
			>
				<Field label={TEXTS.evaluator} hint={evaluator?.description}>
					<Select
						value={chosen}
						onChange={(next) => {
							setChosen(next);
							setPaths({});
							evaluate.reset();
						}}
						choices={[
							{ value: "", label: TEXTS.choose },
							...evaluators.map(({ id, name, kind }) => ({
								value: id,
								label: TEXTS.choice(name, evaluatorTexts.kinds[kind]),
							})),
						]}
					/>
				</Field>
				{evaluator && (
					<Loaded data={version.data} query={version}>
						{({ version: definition }) => (
							<InputPaths
								key={evaluator.id}
								version={definition}
								kind={target.kind}
								paths={paths}
								onChange={setPaths}
							/>
						)}
					</Loaded>
				)}
				<label className="flex items-start gap-2">
					<input
						type="checkbox"
						className="mt-1"
						checked={annotates}
						onChange={(event) => setAnnotates(event.target.checked)}
					/>
					<span>
						{target.kind === "run" ? TEXTS.keepOfRun : TEXTS.annotate}
						<span className="block text-muted text-sm">
							{target.kind === "run" ? TEXTS.keepOfRunHint : TEXTS.annotateHint}
						</span>
					</span>
				</label>
				{evaluator?.kind === "LLM" && <p className="text-muted text-sm">{TEXTS.costs}</p>}
				<ServerIssues error={evaluate.error} />
				<div className="flex justify-end gap-2">
					<Button onClick={onClose}>{evaluate.data === undefined ? texts.action.cancel : texts.action.close}</Button>
					<Button
						type="submit"
						look="primary"
						// Not disabled while it is under way: it would lose the focus, and Escape would close what is below the dialog.
						aria-disabled={evaluate.isPending}
						disabled={version.data === undefined || chosen === ""}
						className="aria-disabled:opacity-60"
					>
						{evaluate.isPending ? TEXTS.running : TEXTS.evaluate}
					</Button>
				</div>
			</form>
			{evaluate.data && (
				<>
					<p role="status" className="text-muted empty:hidden">
						{annotates && TEXTS.written[whatWasWritten(evaluate.data, target)]}
					</p>
					<EvaluationResult result={evaluate.data} />
				</>
			)}
		</>
	);
}

function whatWasWritten({ outputs }: TryResult, { kind }: Evaluated): "run" | "annotations" | "nothing" | "some" {
	if (kind === "run") return "run";
	const failed = Object.values(outputs).filter(({ error }) => error !== null).length;
	if (failed === 0) return "annotations";
	return failed === Object.keys(outputs).length ? "nothing" : "some";
}

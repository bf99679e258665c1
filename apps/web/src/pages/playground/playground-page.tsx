import { useQuery } from "@tanstack/react-query";
// biome-ignore lint/suspicious/noDeprecatedImports: only another overload of it is deprecated
import { getRouteApi, Link, useBlocker } from "@tanstack/react-router";
import Database from "lucide-react/icons/database";
import Play from "lucide-react/icons/play";
import Plus from "lucide-react/icons/plus";
import Square from "lucide-react/icons/square";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { useCan, useMe } from "../../lib/me.ts";
import { modelConnectionsQuery } from "../../lib/model-connections.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { TopBar } from "../../shell/top-bar.tsx";
import { texts as common } from "../../texts/en.ts";
import { experimentJobTexts as jobTexts } from "../../texts/experiment-jobs-en.ts";
import { playgroundTexts as texts } from "../../texts/playground-en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { classNames } from "../../ui/class-names.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { storedDraft, useDraft } from "./draft-store.ts";
import {
	blankDraft,
	blankVariant,
	checkDraft,
	MAX_CALLS,
	MAX_REPETITIONS,
	MAX_VARIANTS,
	newKey,
	newMessage,
	type PlaygroundDraft,
	type VariantDraft,
	variableNames,
	variantOfSource,
} from "./playground-draft.ts";
import { sourceOf, sourceQuery } from "./queries.ts";
import { type CallState, NO_RUN, type RunState, runVariants } from "./run-stream.ts";
import type { PlaygroundSearch } from "./search.ts";
import { VariablesField } from "./variables-field.tsx";
import { VariantColumn } from "./variant-column.tsx";

const SaveDialog = lazyPart(() => import("./save-dialog.tsx"), "SaveDialog", { isOver: true });
const RunOverDatasetDialog = lazyPart(() => import("./run-over-dataset-dialog.tsx"), "RunOverDatasetDialog", {
	isOver: true,
});
const route = getRouteApi("/playground");

/** Models are tried here: what is sent, and what they answer, side by side. */
export function PlaygroundPage(): ReactNode {
	usePageTitle(texts.title);
	const search = route.useSearch();
	const owner = useMe()?.id ?? "";
	const source = sourceOf(search);
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
				{source === undefined ? (
					<Playground key="kept" start={() => storedDraft(owner) ?? blankDraft()} search={search} />
				) : (
					<FromSource key={JSON.stringify(source)} source={source} search={search} />
				)}
			</main>
		</>
	);
}

/** Begins with what the address names, unless the draft of the last visit began with it. */
function FromSource({
	source,
	search,
}: {
	source: NonNullable<ReturnType<typeof sourceOf>>;
	search: PlaygroundSearch;
}): ReactNode {
	const owner = useMe()?.id ?? "";
	const [kept] = useState(() => storedDraft(owner));
	const begunFrom = JSON.stringify(source);
	const isKept = kept?.begunFrom === begunFrom;
	const query = useQuery({ ...sourceQuery(source), enabled: !isKept });
	if (isKept) return <Playground start={() => kept} search={search} />;
	if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
	if (query.data === undefined) return <SkeletonRows rows={8} />;
	const { data } = query;
	const start = (): PlaygroundDraft => ({
		...blankDraft(),
		variants: [variantOfSource(data)],
		variables: Object.fromEntries(
			Object.entries(data.variables).map(([name, value]) => [
				name,
				typeof value === "string" ? value : JSON.stringify(value, null, 2),
			]),
		),
		...(data.project_id === null ? {} : { source: data.project_id }),
		begunFrom,
	});
	return <Playground start={start} search={search} />;
}

function Playground({ start, search }: { start: () => PlaygroundDraft; search: PlaygroundSearch }): ReactNode {
	const can = useCan();
	const owner = useMe()?.id ?? "";
	const navigate = route.useNavigate();
	const connections = useQuery(modelConnectionsQuery);
	const [draft, setDraft] = useDraft(owner, start);
	const [run, setRun] = useState<RunState>(NO_RUN);
	const [problems, setProblems] = useState<ReadonlyMap<string, Readonly<Record<string, string>>>>(new Map());
	const [saving, setSaving] = useState<string>();
	const [isClearing, setClearing] = useState(false);
	const [over, setOver] = useState<readonly Record<string, unknown>[]>();
	const running = useRef<AbortController>(undefined);
	const { variants } = draft;
	const shown = Math.min(Math.max(Number(search.variant ?? 1), 1), variants.length);

	useEffect(() => () => running.current?.abort(), []);
	const blocker = useBlocker({
		shouldBlockFn: ({ current, next }) => run.isRunning && current.pathname !== next.pathname,
		enableBeforeUnload: () => run.isRunning,
		withResolver: true,
	});

	const change = (key: string, part: Partial<VariantDraft>) =>
		setDraft((before) => ({
			...before,
			variants: before.variants.map((variant) => {
				if (variant.key === key) return { ...variant, ...part };
				const { messages, format, connectionId, model } = part;
				return {
					...variant,
					...(before.isSameMessages && messages !== undefined ? { messages } : {}),
					...(before.isSameMessages && format !== undefined ? { format } : {}),
					...(before.isSameModel && connectionId !== undefined ? { connectionId } : {}),
					...(before.isSameModel && model !== undefined ? { model } : {}),
				};
			}),
		}));
	const setVariants = (changed: readonly VariantDraft[]) => setDraft((before) => ({ ...before, variants: changed }));
	const show = (position: number) =>
		void navigate({ search: (before) => ({ ...before, variant: String(position) }), replace: true });
	const duplicate = (at: number) => {
		const variant = variants[at];
		if (variant === undefined || variants.length >= MAX_VARIANTS) return;
		setVariants(variants.toSpliced(at + 1, 0, { ...variant, key: newKey() }));
		show(at + 2);
	};

	/** Runs these columns, and leaves the answers of the others. */
	const runThese = async (chosen: readonly VariantDraft[]) => {
		if (run.isRunning || !can("write")) return;
		const checked = checkDraft(draft, chosen, texts.problems);
		setProblems(checked.problems);
		if (checked.body === undefined) return;
		const abort = new AbortController();
		running.current = abort;
		const keys = chosen.map(({ key }) => key);
		const others = run.calls.filter(({ variant }) => !keys.includes(variant));
		await runVariants(checked.body, keys, {
			signal: abort.signal,
			onState: (state) => setRun({ ...state, calls: [...others, ...state.calls] }),
		});
	};
	const stop = () => running.current?.abort();
	const askOverDataset = () => {
		const checked = checkDraft(draft, variants, texts.problems);
		setProblems(checked.problems);
		setOver(checked.body?.variants);
	};
	const continueWith = (key: string, { text, toolCalls, end }: CallState) => {
		const variant = variants.find((each) => each.key === key);
		if (variant === undefined) return;
		const calls = toolCalls.map(({ id, name, arguments: given }) => ({
			type: "tool_call" as const,
			tool_call_id: id,
			tool_call: { type: "function" as const, name, arguments: given },
		}));
		const results = toolCalls.map(({ id }) => ({ ...newMessage("tool"), answers: id }));
		const { signed_reasoning: reasoning } = end?.output ?? {};
		const answer = {
			...newMessage("assistant", text),
			toolCalls: calls,
			...(reasoning === undefined ? {} : { reasoning }),
		};
		change(key, { messages: [...variant.messages, answer, ...results] });
	};

	const calls = variants.length * draft.repetitions;
	const names = variableNames(variants);
	useShortcuts({
		title: texts.shortcuts.title,
		shortcuts: [
			{ keys: ["mod+Enter"], label: texts.shortcuts.run, inFields: true, run: () => void runThese(variants) },
			{ keys: ["Escape"], label: texts.shortcuts.stop, inFields: true, run: () => (run.isRunning ? stop() : false) },
			{ keys: ["mod+s"], label: texts.shortcuts.save, inFields: true, run: () => setSaving(variants[shown - 1]?.key) },
			{ keys: ["mod+d"], label: texts.shortcuts.duplicate, inFields: true, run: () => duplicate(shown - 1) },
			...variants.map((_, at) => ({
				keys: [`alt+${at + 1}`],
				label: texts.shortcuts.column(at + 1),
				inFields: true,
				hidden: at > 0,
				run: () => {
					show(at + 1);
					document.querySelector<HTMLElement>(`[data-column="${at + 1}"] textarea`)?.focus();
				},
			})),
		],
	});

	if (connections.isError) return <ErrorState error={connections.error} onRetry={() => void connections.refetch()} />;
	if (connections.data?.length === 0) return <NoConnection />;
	const saved = variants.find(({ key }) => key === saving);
	return (
		<div className="flex min-h-full flex-col">
			<div className="sticky top-0 z-10 flex flex-wrap items-center gap-2 border-line border-b bg-canvas px-4 py-2 max-sm:static">
				<h1 className="mr-2 font-semibold text-xl">{texts.title}</h1>
				{variants.length > 1 && (
					<>
						<Toggle
							label={texts.sameMessages}
							checked={draft.isSameMessages}
							onChange={(isSameMessages) => setDraft((before) => unified({ ...before, isSameMessages }, shown - 1))}
						/>
						<Toggle
							label={texts.sameModel}
							checked={draft.isSameModel}
							onChange={(isSameModel) => setDraft((before) => unified({ ...before, isSameModel }, shown - 1))}
						/>
					</>
				)}
				<span className="ml-auto" />
				{/* biome-ignore lint/a11y/noLabelWithoutControl: the control is the child */}
				<label className="flex items-center gap-1 text-muted text-sm">
					{texts.repetitions}
					<Select
						value={String(draft.repetitions)}
						onChange={(value) => setDraft((before) => ({ ...before, repetitions: Number(value) }))}
						choices={Array.from({ length: MAX_REPETITIONS }, (_, index) => {
							const value = String(index + 1);
							return { value, label: value };
						})}
					/>
				</label>
				<Button disabled={!can("write")} onClick={askOverDataset}>
					<Database size={14} aria-hidden />
					{jobTexts.over}
				</Button>
				<Button onClick={() => setClearing(true)}>{texts.clear}</Button>
				<Button
					disabled={variants.length >= MAX_VARIANTS}
					onClick={() => {
						const last = variants.at(-1);
						setVariants([...variants, blankVariant(last?.connectionId, last?.model)]);
						show(variants.length + 1);
					}}
				>
					<Plus size={14} aria-hidden />
					{texts.addVariant}
				</Button>
				<RunButton
					isRunning={run.isRunning}
					disabled={!can("write") || calls > MAX_CALLS}
					onRun={() => void runThese(variants)}
					onStop={stop}
					className="max-sm:hidden"
				/>
			</div>
			<div className="flex flex-col gap-3 p-4">
				{!can("write") && <p className="text-muted">{texts.viewer}</p>}
				{calls > MAX_CALLS && <p className="text-danger">{texts.tooManyCalls(MAX_CALLS)}</p>}
				<FormError error={run.failure ?? null} />
				<VariablesField
					names={names}
					values={draft.variables}
					onChange={(variables) => setDraft((before) => ({ ...before, variables }))}
				/>
				{variants.length > 1 && (
					<div className="sm:hidden">
						<SegmentedControl
							label={texts.variants}
							value={String(shown)}
							onChange={(value) => show(Number(value))}
							choices={variants.map(({ label }, at) => ({ value: String(at + 1), label: label || String(at + 1) }))}
						/>
					</div>
				)}
				<div
					className="grid grid-cols-1 gap-3 sm:grid-cols-[repeat(var(--columns),minmax(20rem,1fr))] sm:overflow-x-auto"
					style={{ "--columns": variants.length } as Record<string, number>}
				>
					{variants.map((variant, at) => (
						<div
							key={variant.key}
							data-column={at + 1}
							className={classNames("min-w-0", at + 1 !== shown && "max-sm:hidden")}
						>
							<VariantColumn
								variant={variant}
								position={at + 1}
								count={variants.length}
								run={run}
								problems={problems.get(variant.key) ?? {}}
								onChange={(part) => change(variant.key, part)}
								onDuplicate={variants.length < MAX_VARIANTS ? () => duplicate(at) : undefined}
								onMove={(by) => setVariants(variants.toSpliced(at, 1).toSpliced(at + by, 0, variant))}
								onRemove={() => setVariants(variants.toSpliced(at, 1))}
								onSave={() => setSaving(variant.key)}
								onAgain={() => void runThese([variant])}
								onContinue={(call) => continueWith(variant.key, call)}
							/>
						</div>
					))}
				</div>
			</div>
			<div className="sticky bottom-0 mt-auto border-line border-t bg-canvas p-2 sm:hidden">
				<RunButton
					isRunning={run.isRunning}
					disabled={!can("write") || calls > MAX_CALLS}
					onRun={() => void runThese(variants)}
					onStop={stop}
					className="w-full"
				/>
			</div>
			{saved !== undefined && (
				<Suspense>
					<SaveDialog
						variant={saved}
						kind={connections.data?.find(({ id }) => id === saved.connectionId)?.kind}
						onClose={() => setSaving(undefined)}
					/>
				</Suspense>
			)}
			{over !== undefined && (
				<Suspense>
					<RunOverDatasetDialog
						variants={over}
						labels={variants.map(({ label }) => label)}
						names={names}
						dataset={search.dataset ?? ""}
						repetitions={draft.repetitions}
						onClose={() => setOver(undefined)}
					/>
				</Suspense>
			)}
			{isClearing && (
				<Question
					title={texts.clearTitle}
					text={texts.clearText}
					action={texts.clear}
					onClose={() => setClearing(false)}
					onAction={() => {
						stop();
						setRun(NO_RUN);
						setDraft(() => blankDraft());
						setClearing(false);
					}}
				/>
			)}
			{blocker.status === "blocked" && (
				<Question
					title={texts.leaveTitle}
					text={texts.leaveText}
					action={texts.leave}
					onClose={blocker.reset}
					onAction={blocker.proceed}
				/>
			)}
		</div>
	);
}

/** What columns share is that of the column that is looked at. */
function unified(draft: PlaygroundDraft, at: number): PlaygroundDraft {
	const model = draft.variants[at];
	if (model === undefined) return draft;
	const variants = draft.variants.map((variant) => ({
		...variant,
		...(draft.isSameMessages ? { messages: model.messages, format: model.format } : {}),
		...(draft.isSameModel ? { connectionId: model.connectionId, model: model.model } : {}),
	}));
	return { ...draft, variants };
}

function RunButton({
	isRunning,
	disabled,
	onRun,
	onStop,
	className,
}: {
	isRunning: boolean;
	disabled: boolean;
	onRun: () => void;
	onStop: () => void;
	className: string;
}): ReactNode {
	return isRunning ? (
		<Button look="danger" className={className} onClick={onStop}>
			<Square size={14} aria-hidden />
			{texts.stop}
		</Button>
	) : (
		<Button look="primary" className={className} disabled={disabled} onClick={onRun}>
			<Play size={14} aria-hidden />
			{texts.run}
		</Button>
	);
}

function Toggle({
	label,
	checked,
	onChange,
}: {
	label: string;
	checked: boolean;
	onChange: (checked: boolean) => void;
}): ReactNode {
	return (
		<label className="flex items-center gap-1.5 text-sm">
			<input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
			{label}
		</label>
	);
}

function NoConnection(): ReactNode {
	const can = useCan();
	const isAdmin = can("admin");
	return (
		<EmptyState
			title={texts.noConnectionTitle}
			text={isAdmin ? texts.noConnectionAdmin : texts.noConnectionMember}
			actions={
				isAdmin && (
					<Link to="/settings/models" className={buttonClass("primary")}>
						{texts.addConnection}
					</Link>
				)
			}
		/>
	);
}

function Question({
	title,
	text,
	action,
	onAction,
	onClose,
}: {
	title: string;
	text: string;
	action: string;
	onAction: () => void;
	onClose: () => void;
}): ReactNode {
	return (
		<Dialog open onOpenChange={onClose} title={title}>
			<div className="flex flex-col gap-3 p-4">
				<p>{text}</p>
				<div className="flex justify-end gap-2">
					<Button onClick={onClose}>{common.action.cancel}</Button>
					<Button look="danger" onClick={onAction}>
						{action}
					</Button>
				</div>
			</div>
		</Dialog>
	);
}

import type { ModelPrice } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../../lib/api.ts";
import { fieldErrors } from "../../../lib/field-errors.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { texts } from "../../../texts/en.ts";
import { Chip } from "../../../ui/chip.tsx";
import { FieldProblem } from "../../../ui/field-problem.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Select } from "../../../ui/select.tsx";
import {
	KINDS,
	NEW_PRICE,
	type PriceDraft,
	type PriceField,
	priceBody,
	priceDraft,
	priceProblems,
} from "./price-draft.ts";
import { type Match, matches } from "./price-match.ts";
import { usedModelsQuery } from "./price-queries.ts";

const TEXTS = dataSettingsTexts.prices;
const MATCHES = (["exact", "prefix", "suffix", "contains", "regex"] as const).map((value) => ({
	value,
	label: TEXTS.match[value],
}));

/** Creates an own price, starting with the values of a given one, or changes a given own price. */
export function PriceDialog({ price, onClose }: { price?: ModelPrice; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const own = price?.origin === "own" ? price : undefined;
	const [draft, setDraft] = useState(() => (price ? priceDraft(price) : NEW_PRICE));
	const [found, setFound] = useState<Partial<Record<PriceField, string>>>({});
	const save = useMutation({
		mutationFn: async () => {
			const body = priceBody(draft);
			return own
				? await api.patch("/v1/model_prices/{price_id}", { path: { price_id: own.id }, body })
				: await api.post("/v1/model_prices", { body });
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["model-prices"] });
			onClose();
		},
	});
	const answer = fieldErrors(save.error, {
		pattern: [],
		name: [],
		provider: [],
		start_time: [],
		input: [],
		output: [],
		cache_read: [],
		cache_write: [],
		reasoning: [],
		prices: [],
	});
	const problems = { ...answer.at, ...found };
	const change = (part: Partial<PriceDraft>) => setDraft({ ...draft, ...part });
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const problem = priceProblems(draft);
		setFound(problem);
		if (Object.keys(problem).length === 0) save.mutate();
	};
	return (
		<FormDialog
			title={own ? TEXTS.editTitle(own.name) : TEXTS.create}
			action={own ? texts.action.save : texts.action.create}
			isPending={save.isPending}
			error={answer.rest}
			onSubmit={submit}
			onClose={onClose}
		>
			<div className="flex flex-col gap-1">
				<div className="grid grid-cols-[8rem_1fr] items-end gap-2">
					<Field label={TEXTS.how}>
						<Select value={draft.match} onChange={(match) => change({ match })} choices={MATCHES} />
					</Field>
					<Field label={TEXTS.pattern}>
						<Input
							value={draft.pattern}
							maxLength={1000}
							aria-invalid={problems.pattern !== undefined}
							onChange={(event) => change({ pattern: event.target.value })}
							className="font-mono"
						/>
					</Field>
				</div>
				<FieldProblem text={problems.pattern} />
				<Preview match={draft.match} pattern={draft.pattern.trim()} />
			</div>
			<fieldset className="flex flex-col gap-1">
				<legend className="mb-1 text-muted text-sm">{TEXTS.prices}</legend>
				<div className="grid grid-cols-2 gap-x-3 gap-y-2 sm:grid-cols-3">
					{KINDS.map((kind) => (
						<Field key={kind} label={TEXTS.price[kind]} error={problems[kind]}>
							<Input
								value={draft.prices[kind]}
								inputMode="decimal"
								aria-invalid={problems[kind] !== undefined}
								onChange={(event) => change({ prices: { ...draft.prices, [kind]: event.target.value } })}
							/>
						</Field>
					))}
				</div>
				<FieldProblem text={problems.prices} />
			</fieldset>
			<div className="grid gap-3 sm:grid-cols-2">
				<Field label={TEXTS.start} hint={TEXTS.startHint} error={problems.start_time}>
					<Input
						value={draft.start}
						aria-invalid={problems.start_time !== undefined}
						onChange={(event) => change({ start: event.target.value })}
					/>
				</Field>
				<Field label={TEXTS.provider} error={problems.provider}>
					<Input
						value={draft.provider}
						maxLength={1000}
						onChange={(event) => change({ provider: event.target.value })}
					/>
				</Field>
			</div>
			<Field label={TEXTS.name} error={problems.name}>
				<Input value={draft.name} maxLength={1000} onChange={(event) => change({ name: event.target.value })} />
			</Field>
			<p className="text-muted text-sm">{TEXTS.recompute}</p>
		</FormDialog>
	);
}

const SHOWN = 30;

/** The recently used models that the price would apply to. */
function Preview({ match, pattern }: { match: Match; pattern: string }): ReactNode {
	const { data, isPending } = useQuery(usedModelsQuery);
	if (pattern === "") return null;
	if (matches(match, pattern, "") === undefined) return <FieldProblem text={TEXTS.patternBad} />;
	const found = (data ?? []).filter((model) => matches(match, pattern, model));
	if (isPending) return <p className="text-muted text-sm">{TEXTS.previewLoading}</p>;
	return (
		<div role="status" className="text-sm">
			<p className="text-muted">{found.length === 0 ? TEXTS.previewNone : TEXTS.preview}</p>
			<p className="flex flex-wrap gap-1 empty:hidden">
				{found.slice(0, SHOWN).map((model) => (
					<Chip key={model}>{model}</Chip>
				))}
			</p>
		</div>
	);
}

import type { SpanDetail } from "@spanward/client";
import Search from "lucide-react/icons/search";
import { type ReactNode, useContext, useDeferredValue, useMemo, useState } from "react";
import { FilterByAttribute } from "../../filtering/attribute-filter.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { formatJson, type Json } from "../../ui/content/json-value.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { SearchInput } from "../../ui/input.tsx";
import { AttributeTable } from "./attribute-table.tsx";
import { searchWords } from "./find-in-trace.ts";
import { Section } from "./section.tsx";
import { type SentAttribute, searchAttributes, toSentAttributes } from "./sent-attributes.ts";

/** What was sent with the span, its resource and its scope, searchable. */
export function AttributesTab({ span }: { span: SpanDetail }): ReactNode {
	const onFilter = useContext(FilterByAttribute) ?? undefined;
	const [query, setQuery] = useState("");
	const searched = useDeferredValue(query);
	const words = useMemo(() => searchWords(searched), [searched]);
	const { otlp } = span;
	const scopeName = [otlp.scope.name, otlp.scope.version].filter(Boolean).join(" ");
	const groups = useMemo(
		() => [
			{
				title: texts.section.attributes,
				attributes: toSentAttributes(otlp.attributes),
				dropped: otlp.dropped_attributes_count,
				isFilterable: true,
			},
			{
				title: texts.section.resource,
				attributes: toSentAttributes(otlp.resource.attributes),
				dropped: otlp.resource.dropped_attributes_count,
				isFilterable: false,
			},
			{
				title: `${texts.section.scope}: ${scopeName}`,
				attributes: toSentAttributes(otlp.scope.attributes),
				dropped: otlp.scope.dropped_attributes_count,
				isFilterable: false,
			},
		],
		[otlp, scopeName],
	);
	const found = groups.map((group) => searchAttributes(group.attributes, words));
	const nothing = words.length > 0 && found.every((attributes) => attributes.length === 0);
	return (
		<div className="flex flex-col gap-4">
			<SearchInput
				label={texts.attributeSearch}
				placeholder={texts.attributeSearch}
				icon={<Search size={14} aria-hidden />}
				value={query}
				onChange={(event) => setQuery(event.target.value)}
				boxClassName="w-80 max-w-full"
			/>
			{nothing && <p className="text-muted">{texts.noAttributeMatch(query.trim())}</p>}
			{groups.map((group, index) => {
				const attributes = found[index] ?? [];
				if (words.length > 0 && attributes.length === 0) return null;
				return (
					<Section
						key={group.title}
						title={`${group.title} (${attributes.length})`}
						aside={
							attributes.length > 0 && (
								<CopyButton text={formatJson(toJson(attributes))} label={texts.copyAll} className="size-6" />
							)
						}
					>
						{attributes.length === 0 ? (
							<p className="text-muted">{texts.noAttributes}</p>
						) : (
							<AttributeTable
								attributes={attributes}
								words={words}
								label={group.title}
								onFilter={group.isFilterable ? onFilter : undefined}
							/>
						)}
						{Number(group.dropped ?? 0) > 0 && (
							<p className="mt-1 text-sm text-warn">
								{texts.dropped(Number(group.dropped), texts.section.attributes.toLowerCase())}
							</p>
						)}
					</Section>
				);
			})}
		</div>
	);
}

function toJson(attributes: readonly SentAttribute[]): Json {
	return Object.fromEntries(attributes.map((attribute) => [attribute.key, attribute.value]));
}

import { amountValue, indexedEntries, textValue } from "./attribute-values.ts";
import { compact, nonEmpty } from "./compact.ts";
import { asText, decoded, decodedContent, field, isList, isObject, type PlainObject } from "./json.ts";
import type { Attributes, Plain, Semantic } from "./model.ts";

export type Document = NonNullable<Semantic["documents"]>[number];

/** OpenInference's `retrieval.documents.N.document.*` (and the reranker's lists). */
export function readIndexedDocuments(attributes: Attributes, prefix: string): Document[] | undefined {
	const documents = indexedEntries(attributes, prefix).map((entry) =>
		compact<Document>({
			id: textValue(entry.get("document.id")),
			content: asText(entry.get("document.content")),
			score: amountValue(entry.get("document.score")),
			metadata: decodedContent(entry.get("document.metadata")),
		}),
	);
	if (documents.length > 0) return nonEmpty(documents.filter(isNotEmpty));
	return readDocuments(attributes.get(prefix));
}

const LIST_MEMBERS = [
	"documents",
	"results",
	"matches",
	"source_nodes",
	"nodes",
	"chunks",
	"hits",
	"items",
	"result",
	"output",
];

/** Documents in a value of any known form: a list, or an object around it; JSON text is parsed. */
export function readDocuments(value: Plain | undefined): Document[] | undefined {
	const data = decoded(value);
	if (isObject(data)) {
		for (const key of LIST_MEMBERS) {
			const list = decoded(field(data, key));
			if (isList(list)) return readDocuments(list);
		}
		return undefined;
	}
	if (!isList(data)) return undefined;
	const documents: Document[] = [];
	for (const item of data) {
		const document = readDocument(decoded(item));
		if (document === undefined) return undefined;
		documents.push(document);
	}
	return nonEmpty(documents);
}

function readDocument(item: Plain | undefined): Document | undefined {
	if (typeof item === "string") return { content: item };
	if (isList(item)) return readScoredPair(item);
	if (!isObject(item)) return undefined;
	const inner = ["document", "node", "payload"].map((key) => field(item, key)).find((value) => isObject(value));
	const source = isObject(inner) ? inner : item;
	const content = first(source, [
		"page_content",
		"content",
		"text",
		"document.content",
		"document",
		"body",
		"snippet",
		"chunk",
		"pageContent",
	]);
	const document = compact<Document>({
		id: textValue(
			first(source, ["id", "document.id", "doc_id", "document_id", "id_", "chunk_id"]) ?? field(item, "id"),
		),
		content: asText(content),
		score: amountValue(
			first(item, ["score", "document.score", "similarity", "relevance_score"]) ?? first(source, ["score"]),
		),
		metadata: decodedContent(
			field(source, "metadata") ?? field(source, "document.metadata") ?? field(source, "meta") ?? undefined,
		),
	});
	return document.content === undefined && document.id === undefined ? undefined : document;
}

/** LangChain's `[document, score]`. */
function readScoredPair(pair: readonly Plain[]): Document | undefined {
	const [item, score] = pair;
	if (pair.length !== 2 || typeof score !== "number") return undefined;
	const document = isList(item) ? undefined : readDocument(item);
	return document === undefined ? undefined : { ...document, score };
}

/** The first member that holds a text or a number. */
function first(item: PlainObject, keys: readonly string[]): Plain | undefined {
	return keys.map((key) => field(item, key)).find((value) => typeof value === "string" || typeof value === "number");
}

function isNotEmpty(document: Document): boolean {
	return Object.keys(document).length > 0;
}

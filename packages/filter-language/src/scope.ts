import {
	type AnnotationField,
	type AnnotationName,
	type Attribute,
	type Collection,
	type Field,
	type FilterTarget,
	RESOURCE,
	type RowKind,
} from "./condition.ts";
import { FilterError, type FilterProblem, UnknownField } from "./filter-error.ts";
import { probablyMeant } from "./probably-meant.ts";
import { ANNOTATION_FIELDS, ROW_SCHEMAS } from "./schemas.ts";
import { suggest } from "./suggestions.ts";
import type { Path, PathPart, Place, Syntax } from "./syntax.ts";

interface Variable {
	readonly name: string;
	readonly row: number;
	readonly kind: RowKind;
}

/** What a path refers to. */
export type Named =
	| { readonly type: "value"; readonly value: Field | Attribute | AnnotationField }
	| { readonly type: "annotation"; readonly annotation: AnnotationName }
	/** `parent_span` itself. */
	| { readonly type: "parent"; readonly row: number };

/** The names that are known at a place of the expression. */
export class Scope {
	readonly #target: FilterTarget;
	readonly #variables: readonly Variable[];
	/** Shared by all scopes of an expression. */
	readonly #hints: FilterProblem[];

	constructor(target: FilterTarget, hints: FilterProblem[], variables: readonly Variable[] = []) {
		this.#target = target;
		this.#hints = hints;
		this.#variables = variables;
	}

	/** A scope with one more variable, whose rows have the number `row`. */
	with(name: string, kind: RowKind, row: number): Scope {
		return new Scope(this.#target, this.#hints, [...this.#variables, { name, kind, row }]);
	}

	get depth(): number {
		return this.#variables.length;
	}

	isVariable(name: string): boolean {
		return this.#variables.some((variable) => variable.name === name);
	}

	/** @throws FilterError */
	collection(syntax: Syntax): { collection: Collection; kind: RowKind; of: number } {
		const [first, second, ...more] = syntax.type === "path" ? syntax.parts : [];
		const variable = this.#variable(first);
		const name = variable === undefined ? first : second;
		const { collections } = ROW_SCHEMAS[variable?.kind ?? this.#target];
		const prefix = variable === undefined ? "" : `${variable.name}.`;
		const known = Object.keys(collections).map((collection) => prefix + collection);
		const isAlone = variable === undefined ? second === undefined : more.length === 0;
		const kind = name === undefined || !isAlone ? undefined : own(collections, name.text);
		if (kind === undefined || name === undefined) {
			const written = name === undefined ? "" : prefix + name.text;
			const near = suggest(written, known);
			throw problem("this is no collection", syntax, near.length > 0 ? near : known);
		}
		return { collection: name.text as Collection, kind, of: variable?.row ?? 0 };
	}

	/** @throws FilterError */
	resolve(path: Path & Place): Named {
		const [first, ...rest] = path.parts;
		const variable = this.#variable(first);
		if (variable === undefined || first === undefined)
			return this.#resolveOn({ name: "", row: 0, kind: this.#target }, path.parts, path);
		if (rest.length === 0)
			throw problem(
				`${variable.name} is a ${variable.kind.replaceAll("_", " ")}; ask for one of its fields`,
				path,
				Object.keys(ROW_SCHEMAS[variable.kind].fields)
					.slice(0, 5)
					.map((field) => `${variable.name}.${field}`),
			);
		return this.#resolveOn(variable, rest, path);
	}

	#variable(part: PathPart | undefined): Variable | undefined {
		return this.#variables.findLast((variable) => variable.name === part?.text);
	}

	#resolveOn(variable: Variable, parts: readonly PathPart[], place: Place): Named {
		const { row, kind } = variable;
		const schema = ROW_SCHEMAS[kind];
		const [first, second] = parts;
		if (first === undefined) throw problem("a name is missing", place);
		if (first.text === "parent_span" && kind === "span") return this.#resolveParent(variable, parts, place);
		if (schema.annotations?.names.includes(first.text) && second?.isKey === true) {
			const annotation: AnnotationName = { row, target: schema.annotations.target, name: second.text };
			return annotationPart(annotation, parts.slice(2));
		}
		const field = fieldOf(kind, parts);
		if (field !== undefined) {
			const { content } = schema.fields[field.name] ?? {};
			if (content !== undefined && content !== "tags") return { type: "value", value: attribute(row, content) };
			return { type: "value", value: { type: "field", row, ofParent: false, ...field } };
		}
		if (schema.hasAttributes && first.text === "resource" && second?.isKey === true) {
			const path = segmentsOf(parts.slice(1));
			if (path.length === 0) throw problem("a key is missing", place);
			return { type: "value", value: attribute(row, [RESOURCE, ...path]) };
		}
		const isNamespace = first.text === "attributes" || first.text === "metadata";
		if (schema.hasAttributes && isNamespace && second !== undefined) {
			const path = segmentsOf(first.text === "attributes" ? parts.slice(1) : parts);
			if (path.length === 0) throw problem("a key is missing", place);
			return { type: "value", value: attribute(row, path) };
		}
		if (own(schema.collections, first.text) !== undefined && parts.length === 1)
			throw problem(`${first.text} is a collection; look into it by any(… for x in ${first.text}) and the like`, place);
		if (kind === "span" && variable.name === "") {
			this.#hint(parts, place);
			return { type: "value", value: attribute(row, segmentsOf(parts)) };
		}
		throw this.#unknownField(variable, parts, place);
	}

	#resolveParent(variable: Variable, parts: readonly PathPart[], place: Place): Named {
		if (parts.length === 1) return { type: "parent", row: variable.row };
		if (variable.name === "")
			throw problem(
				"a filter of spans knows of a parent only whether it is there (parent_span is None); filter traces for more",
				place,
			);
		const field = fieldOf("span", parts.slice(1));
		if (field === undefined || ROW_SCHEMAS.span.fields[field.name]?.content !== undefined)
			throw this.#unknownField({ ...variable, name: `${variable.name}.parent_span` }, parts.slice(1), place);
		return { type: "value", value: { type: "field", row: variable.row, ofParent: true, ...field } };
	}

	#unknownField({ name: owner, kind }: Variable, parts: readonly PathPart[], place: Place): UnknownField {
		const prefix = owner === "" ? "" : `${owner}.`;
		const written = parts.map((part) => (part.isKey ? `["${part.text}"]` : part.text)).join(".");
		const { fields, aliases, collections, annotations, hasAttributes } = ROW_SCHEMAS[kind];
		const known = [
			...Object.keys(fields),
			...Object.keys(aliases),
			...Object.keys(collections),
			...(annotations?.names.map((name) => `${name}["name"]`) ?? []),
		];
		const near = suggest(written, known);
		const isDotted = parts.length > 1 && hasAttributes && !owner.endsWith(".parent_span");
		if (near.length === 0 && isDotted) near.push(`attributes["${segmentsOf(parts).join(".")}"]`);
		const { position, length } = place;
		const suggestions = near.map((name) => prefix + name);
		const message = `a ${kind.replaceAll("_", " ")} has no field ${written}`;
		return new UnknownField({ message, position, length, suggestions }, { owner, written, variables: this.#variables });
	}

	#hint(parts: readonly PathPart[], place: Place): void {
		if (parts.some((part) => part.isKey)) return;
		const written = parts.map((part) => part.text).join(".");
		const suggestions = probablyMeant(written);
		if (suggestions === undefined) return;
		const message = `a span has no field ${written}; this asks for an attribute of that name`;
		this.#hints.push({ message, suggestions, position: place.position, length: place.length });
	}
}

function annotationPart(annotation: AnnotationName, rest: readonly PathPart[]): Named {
	const [field, ...more] = rest;
	if (field === undefined) return { type: "annotation", annotation };
	const valueType = own(ANNOTATION_FIELDS, field.text);
	if (valueType === undefined || more.length > 0) {
		const known = Object.keys(ANNOTATION_FIELDS);
		const near = suggest(field.text, known);
		throw problem(`an annotation has no ${field.text}`, field, near.length > 0 ? near : known);
	}
	const name = field.text as AnnotationField["name"];
	return { type: "value", value: { type: "annotation", annotation, name, valueType } };
}

function fieldOf(kind: RowKind, parts: readonly PathPart[]): Pick<Field, "name" | "valueType"> | undefined {
	if (parts.some((part) => part.isKey)) return undefined;
	const written = parts.map((part) => part.text).join(".");
	const { fields, aliases } = ROW_SCHEMAS[kind];
	const name = own(aliases, written) ?? written;
	const field = own(fields, name);
	return field === undefined ? undefined : { name, valueType: field.valueType };
}

function attribute(row: number, path: readonly string[]): Attribute {
	return { type: "attribute", row, path, as: "any" };
}

/** Keys are paths too: `attributes["llm.model_name"]` is `attributes["llm"]["model_name"]`. */
function segmentsOf(parts: readonly PathPart[]): string[] {
	return parts.flatMap(({ text }) =>
		text
			.split(".")
			.map((segment) => segment.trim())
			.filter((segment) => segment !== ""),
	);
}

/** Looks up a name from outside, ignoring inherited properties. */
function own<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
	return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function problem(message: string, place: Place, suggestions: readonly string[] = []): FilterError {
	return new FilterError({ message, position: place.position, length: place.length, suggestions });
}

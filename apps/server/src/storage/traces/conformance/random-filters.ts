import { type FilterTarget, ROW_SCHEMAS, type RowKind } from "@spanward/filter-language";

interface Variable {
	/** With the dot; empty for the filtered row. */
	readonly prefix: string;
	readonly kind: RowKind;
}

const ATTRIBUTES = [
	"tier",
	"tries",
	"vip",
	"tag.tags",
	"metadata.city",
	"metadata.age",
	"input.value",
	"nothing",
	"llm.model_name",
];
const TEXTS = [
	"step 1",
	"Berlin",
	"question 7",
	"gold",
	"answer",
	"a",
	"ue",
	"model-1",
	"session-1",
	"user-2",
	"1.1",
	"staging",
	"error",
	"LLM",
	"",
	"broke",
];
const NUMBERS = ["0", "1", "2", "3", "7", "20", "49.5", "0.25", "-1", "100"];

/** An expression that, most of the time, is valid for the target. */
export function randomFilter(target: FilterTarget, random: () => number): string {
	return new Generator(random).condition([{ prefix: "", kind: target }], 3);
}

class Generator {
	readonly #random: () => number;
	#variables = 0;

	constructor(random: () => number) {
		this.#random = random;
	}

	condition(scope: readonly Variable[], depth: number): string {
		const inner = () => this.condition(scope, depth - 1);
		const choice = this.#random();
		if (depth > 0 && choice < 0.12) return `(${inner()} and ${inner()})`;
		if (depth > 0 && choice < 0.24) return `(${inner()} or ${inner()})`;
		if (depth > 0 && choice < 0.34) return `not (${inner()})`;
		if (depth > 0 && choice < 0.55) {
			const quantifier = this.#reduction(scope, depth, this.#one(["any", "all"]), (own) =>
				this.condition(own, depth - 1),
			);
			if (quantifier !== undefined) return quantifier;
		}
		const annotation = this.#random() < 0.15 ? this.#annotation(scope) : undefined;
		if (annotation !== undefined) return annotation;
		return this.#one<() => string>([
			() => `${this.#number(scope, depth)} ${this.#operator()} ${this.#number(scope, depth)}`,
			() => `${this.#one(NUMBERS)} < ${this.#number(scope, depth)} <= ${this.#one(NUMBERS)}`,
			() =>
				`${this.#number(scope, depth)} ${this.#one(["in", "not in"])} [${this.#one(NUMBERS)}, ${this.#one(NUMBERS)}]`,
			() => `${this.#text(scope)} ${this.#operator()} ${this.#quoted()}`,
			() => `${this.#text(scope)} ${this.#one(["in", "not in"])} [${this.#quoted()}, ${this.#quoted()}]`,
			() => `${this.#quoted()} ${this.#one(["in", "not in"])} ${this.#searched(scope)}`,
			() => this.#tag(scope),
			() => `${this.#text(scope)} ${this.#one(["is None", "is not None", "== None", "!= None"])}`,
			() => `${this.#number(scope, 0)} ${this.#one(["is None", "is not None"])}`,
			() => `${this.#path(scope)} ${this.#one(["==", "!=", "is", "is not"])} ${this.#one(["True", "False"])}`,
			() =>
				`${this.#field(scope, "boolean") ?? "vip"} ${this.#one(["==", "!=", "is", "is not"])} ${this.#one(["True", "False"])}`,
			() => `${this.#path(scope)} ${this.#operator()} ${this.#path(scope)}`,
			() => `${this.#field(scope, "datetime") ?? "1"} ${this.#operator()} ${this.#time(scope)}`,
			() => this.#root(scope),
		])();
	}

	#reduction(
		scope: readonly Variable[],
		depth: number,
		name: string,
		value: (own: readonly Variable[], variable: string) => string,
	): string | undefined {
		if (scope.length > 2) return undefined;
		const owner = this.#one(scope);
		const collections = Object.entries(ROW_SCHEMAS[owner.kind].collections);
		if (collections.length === 0) return undefined;
		const [collection, kind] = this.#one(collections);
		this.#variables += 1;
		const variable = `x${this.#variables}`;
		const own = [...scope, { prefix: `${variable}.`, kind }];
		const condition = this.#random() < 0.3 ? ` if ${this.condition(own, depth - 1)}` : "";
		const [open, close] = name === "len" ? ["[", "]"] : ["", ""];
		return `${name}(${open}${value(own, variable)} for ${variable} in ${owner.prefix}${collection}${condition}${close})`;
	}

	#number(scope: readonly Variable[], depth: number): string {
		const choice = this.#random();
		if (depth > 0 && choice < 0.15)
			return `(${this.#number(scope, depth - 1)} ${this.#one(["+", "-", "*", "/", "%"])} ${this.#number(scope, depth - 1)})`;
		if (depth > 0 && choice < 0.3) {
			const name = this.#one(["sum", "max", "min", "len"]);
			const reduction = this.#reduction(scope, depth, name, (own, variable) =>
				name === "len" ? variable : (this.#field(own, "number") ?? "1"),
			);
			if (reduction !== undefined) return reduction;
		}
		if (choice < 0.4) return `${this.#one(["float", "int"])}(${this.#path(scope)})`;
		if (choice < 0.45) return `-${this.#field(scope, "number") ?? "1"}`;
		if (choice < 0.6) return this.#one(NUMBERS);
		return this.#field(scope, "number") ?? this.#one(NUMBERS);
	}

	#text(scope: readonly Variable[]): string {
		const choice = this.#random();
		if (choice < 0.3) return this.#path(scope);
		if (choice < 0.4) return `str(${this.#field(scope, this.#one(["number", "text", "datetime"])) ?? "1"})`;
		if (choice < 0.45) return `str(${this.#path(scope)})`;
		return this.#field(scope, "text") ?? this.#quoted();
	}

	#searched(scope: readonly Variable[]): string {
		const [own] = scope;
		if (own?.kind === "session" && this.#random() < 0.3) return this.#one(["any_input", "any_output"]);
		return this.#text(scope);
	}

	#field(scope: readonly Variable[], valueType: string): string | undefined {
		const { prefix, kind } = this.#innermost(scope);
		const { fields, aliases } = ROW_SCHEMAS[kind];
		const names = Object.keys(fields).filter(
			(name) =>
				fields[name]?.valueType === valueType && fields[name]?.onlySearched === undefined && name !== "prompt_version",
		);
		const others = Object.keys(aliases).filter((name) => names.includes(aliases[name] ?? ""));
		if (names.length === 0) return undefined;
		const relation = kind === "span" && prefix !== "" && this.#random() < 0.15 ? "parent_span." : "";
		return `${prefix}${relation}${this.#one([...names, ...others])}`;
	}

	/** An attribute, where the scope has some. */
	#path(scope: readonly Variable[]): string {
		const { prefix } = this.#one(scope.filter(({ kind }) => ROW_SCHEMAS[kind].hasAttributes));
		if (this.#random() < 0.1) return `${prefix}resource["${this.#one(["region", "zones", "service.name"])}"]`;
		const path = this.#one(ATTRIBUTES);
		if (this.#random() < 0.3 && path.startsWith("metadata."))
			return `${prefix}metadata["${path.slice("metadata.".length)}"]`;
		return `${prefix}attributes["${path.replace(".", this.#random() < 0.5 ? "." : '"]["')}"]`;
	}

	#annotation(scope: readonly Variable[]): string | undefined {
		const { prefix, kind } = this.#innermost(scope);
		const names = ROW_SCHEMAS[kind].annotations?.names;
		if (names === undefined) return undefined;
		const annotation = `${prefix}${this.#one(names)}["${this.#one(["quality", "tone", "none"])}"]`;
		return this.#one([
			annotation,
			`${annotation}.score ${this.#operator()} ${this.#one(NUMBERS)}`,
			`${annotation}.score * 2 ${this.#operator()} ${this.#number(scope, 0)}`,
			`${annotation}.label ${this.#operator()} ${this.#quoted()}`,
			`${annotation}.label ${this.#one(["is None", "is not None"])}`,
			`'oo' in ${annotation}.explanation`,
			`${annotation}.label in ['good', 'bad']`,
			`${annotation}.score ${this.#operator()} ${prefix}${names[0]}["tone"].score`,
		]);
	}

	#tag(scope: readonly Variable[]): string {
		const { prefix, kind } = this.#innermost(scope);
		const tags = Object.hasOwn(ROW_SCHEMAS[kind].fields, "tags") ? "tags" : "name";
		return `${this.#one(["'gold'", "'7'", "'Berlin'"])} ${this.#one(["in", "not in"])} ${prefix}${tags}`;
	}

	#root(scope: readonly Variable[]): string {
		const spans = scope.filter(({ kind }) => kind === "span");
		const span = spans.length === 0 ? undefined : this.#one(spans);
		return span === undefined ? "1 == 1" : `${span.prefix}parent_span ${this.#one(["is None", "is not None"])}`;
	}

	#time(scope: readonly Variable[]): string {
		return this.#field(scope, "datetime") === undefined
			? "2"
			: `'2023-11-14T2${this.#one(["2", "3"])}:00:00.00${Math.floor(this.#random() * 4)}${this.#one(["Z", "+00:00"])}'`;
	}

	#innermost(scope: readonly Variable[]): Variable {
		const last = scope.at(-1);
		return last !== undefined && this.#random() < 0.8 ? last : this.#one(scope);
	}

	#quoted(): string {
		return JSON.stringify(this.#one(TEXTS));
	}

	#operator(): string {
		return this.#one(["==", "!=", "<", "<=", ">", ">="]);
	}

	#one<T>(items: readonly T[]): T {
		const item = items[Math.floor(this.#random() * items.length)];
		if (item === undefined) throw new Error("nothing to choose from");
		return item;
	}
}

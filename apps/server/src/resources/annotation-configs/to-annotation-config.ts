import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import { encodeGlobalId, type IdType } from "#http/global-ids.ts";
import type { AnnotationConfigRow } from "./queries.ts";
import type { AnnotationConfig, AnnotationConfigBody } from "./schemas.ts";

type Wire = z.output<typeof AnnotationConfig>;
type Body = z.output<typeof AnnotationConfigBody>;
type Definition = { [Type in Wire["type"]]: Omit<Extract<Wire, { type: Type }>, "id" | "name"> }[Wire["type"]];

const ID_TYPES: Readonly<Record<Wire["type"], IdType>> = {
	CATEGORICAL: "CategoricalAnnotationConfig",
	CONTINUOUS: "ContinuousAnnotationConfig",
	FREEFORM: "FreeformAnnotationConfig",
};

/** A row as the wire shows it. */
export function toAnnotationConfig(row: AnnotationConfigRow): Wire {
	const definition = JSON.parse(row.definition) as Definition;
	return { id: encodeGlobalId(ID_TYPES[definition.type], row.id), name: row.name, ...definition };
}

/**
 * The stored definition of a config: every member, null where none was given.
 * @throws UserError 400 when it contradicts itself
 */
export function toDefinition(body: Body): string {
	return JSON.stringify(definitionOf(body));
}

function definitionOf(body: Body): Definition {
	const description = body.description ?? null;
	switch (body.type) {
		case "CATEGORICAL": {
			checkValues(body.values);
			const { type, optimization_direction } = body;
			const values = body.values.map(({ label, score }) => ({ label, score: score ?? null }));
			return { type, description, optimization_direction, values };
		}
		case "CONTINUOUS": {
			const { type, optimization_direction } = body;
			return { type, description, optimization_direction, ...boundsOf(body) };
		}
		case "FREEFORM": {
			const { type } = body;
			const optimization_direction = body.optimization_direction ?? null;
			return { type, description, optimization_direction, threshold: body.threshold ?? null, ...boundsOf(body) };
		}
	}
}

function checkValues(values: readonly { readonly label: string }[]): void {
	if (values.length === 0) throw contradiction("values must not be empty");
	if (values.some(({ label }) => label.trim() === "")) throw contradiction("label must be a non-empty string");
	const seen = new Set<string>();
	for (const { label } of values) {
		if (seen.has(label)) throw contradiction(`duplicate label: ${label.slice(0, 100)}`);
		seen.add(label);
	}
}

interface Bounds {
	readonly lower_bound?: number | null | undefined;
	readonly upper_bound?: number | null | undefined;
}

function boundsOf({ lower_bound = null, upper_bound = null }: Bounds) {
	if (lower_bound !== null && upper_bound !== null && lower_bound >= upper_bound) {
		throw contradiction("lower_bound must be strictly less than upper_bound");
	}
	return { lower_bound, upper_bound };
}

function contradiction(message: string): UserError {
	return new UserError(400, "invalid_annotation_config", message);
}

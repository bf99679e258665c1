type JMESPath = typeof import("@jmespath-community/jmespath");
type Interpreter = JMESPath["TreeInterpreter"];

/** An evaluation was ended because it cost too much. */
export class BudgetError extends Error {
	override readonly name = "BudgetError";
}

/**
 * Takes some tenths of a second. To evaluate each part of an expression once for the most values that claims may have
 * needs fewer.
 */
const MAX_STEPS = 2_000_000;
/** Characters and elements that are copied or compared cost less than a step. */
const COPIED_PER_STEP = 16;

/**
 * Limits evaluations: an expression that searches the claims again for each of their values, as two nested filters do,
 * takes time or memory that is quadratic in what a provider sends.
 */
export class EvaluationBudget {
	#left = 0;

	constructor({ TreeInterpreter: interpreter }: JMESPath) {
		// The library makes further interpreters to evaluate variables, so the prototype is patched.
		const prototype: Interpreter = Object.getPrototypeOf(interpreter);
		const { visit } = prototype;
		const spend = (steps: number) => this.#spend(steps);
		prototype.visit = function (this: Interpreter, node, value) {
			spend(1);
			if (node.type === "Flatten") {
				const lists = this.visit(node.child, value);
				if (!Array.isArray(lists)) return null;
				for (const list of lists) spend(sizeOf(list));
				return lists.flat() as typeof lists;
			}
			const result = visit.call(this, node, value);
			if (node.type === "Function" || node.type === "Slice") spend(sizeOf(result));
			return result;
		};
	}

	/** @throws BudgetError */
	run<T>(evaluate: () => T): T {
		this.#left = MAX_STEPS;
		return evaluate();
	}

	#spend(steps: number): void {
		this.#left -= steps;
		if (this.#left < 0) throw new BudgetError();
	}
}

function sizeOf(value: unknown): number {
	return typeof value === "string" || Array.isArray(value) ? value.length / COPIED_PER_STEP : 0;
}

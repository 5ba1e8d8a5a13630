import path from 'node:path';
import { API, type Checker, type Symbol as Symbol_, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/sync';

/** A JSON Schema (draft 2020-12). */
type Schema = Readonly<Record<string, unknown>>;

/** What the contract's types say about `data` in the answers. */
export interface AnswerShapes {
  /** By `<group>.<route>`; a route without `data` is absent. Named types are `$ref`s into `components`. */
  readonly answers: Readonly<Record<string, Schema>>;
  readonly components: Readonly<Record<string, Schema>>;
}

/** Deeper than any type of the contract: a type without a name that contains itself. */
const maxDepth = 20;
const contractFile = /\/contract\/src\//i;

/** Asks the compiler for the type of every route's `data`. Throws for what no JSON can be. */
export function answerShapes(root: string): AnswerShapes {
  const api = new API({ cwd: root });
  try {
    const config = path.join(root, 'contract/tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    const file = project?.program.getSourceFile(path.join(root, 'contract/src/index.ts'));
    const module = file && project?.checker.getSymbolAtLocation(file);
    const routes = module && project?.checker.getExportsOfModule(module).find(({ name }) => name === 'routes');
    if (project === undefined || routes === undefined) throw new Error('the contract exports no routes');
    return shapesOf(project.checker, routes);
  } finally {
    api.close();
  }
}

function shapesOf(checker: Checker, routes: Symbol_): AnswerShapes {
  const components = new Map<string, { readonly id: number; shape: Schema }>();
  const membersOf = (symbol: Symbol_) => checker.getPropertiesOfType(typeOf(checker, symbol));
  const shapeOf = (type: Type, where: string, depth = 0): Schema => {
    if (depth > maxDepth) throw new Error(`${where}: a type without a name contains itself`);
    const name = nameOf(type);
    if (name === undefined) return bare(type, where, depth);
    const known = components.get(name);
    if (known === undefined) {
      // There before it is described, since it may contain itself.
      const component = { id: type.id, shape: {} as Schema };
      components.set(name, component);
      component.shape = bare(type, name, 0);
    } else if (known.id !== type.id) throw new Error(`${where}: two types have the name ${name}`);
    return { $ref: `#/components/schemas/${name}` };
  };
  const bare = (type: Type, where: string, depth: number): Schema => {
    const inner = (one: Type, of: string) => shapeOf(one, `${where}${of}`, depth + 1);
    const simple = simpleShape(type);
    if (simple !== undefined) return simple;
    if (type.isUnionType()) return unionShape(type, (one) => inner(one, ''));
    if (type.isTypeReference() && type.getTarget().isTupleType()) {
      const prefixItems = checker.getTypeArguments(type).map((one, index) => inner(one, `[${index}]`));
      return { type: 'array', prefixItems, minItems: prefixItems.length, maxItems: prefixItems.length };
    }
    if (type.isTypeReference() && checker.isArrayLikeType(type)) {
      const [item] = checker.getTypeArguments(type);
      return { type: 'array', items: item === undefined ? {} : inner(item, '[]') };
    }
    if (type.isObjectType() || type.isIntersectionType()) return objectShape(checker, type, inner);
    throw new Error(`${where}: ${checker.typeToString(type)} is nothing that JSON can be`);
  };

  const answers: Record<string, Schema> = {};
  for (const group of membersOf(routes)) {
    for (const route of membersOf(group)) {
      const type = typeOf(checker, route);
      const data = type.isTypeReference() ? checker.getTypeArguments(type)[3] : undefined;
      if (data === undefined) throw new Error(`${group.name}.${route.name} is no route`);
      const isFile = data.getSymbol()?.name === 'StreamAnswer';
      if (!isFile && (data.flags & TypeFlags.Undefined) === 0)
        answers[`${group.name}.${route.name}`] = shapeOf(data, `${group.name}.${route.name}`);
    }
  }
  const named = [...components].map(([name, { shape }]) => [name, shape] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return { answers, components: Object.fromEntries(named) };
}

function typeOf(checker: Checker, symbol: Symbol_): Type {
  const type = checker.getTypeOfSymbol(symbol);
  if (type === undefined) throw new Error(`${symbol.name} has no type`);
  return type;
}

/** Of a type that the contract names, and that takes no arguments. */
function nameOf(type: Type): string | undefined {
  const alias = type.getAliasSymbol();
  if (alias !== undefined && type.getAliasTypeArguments().length > 0) return undefined;
  const isNamed = type.isClassOrInterface() && type.getTypeParameters().length === 0;
  const symbol = alias ?? (isNamed ? type.getSymbol() : undefined);
  return symbol?.declarations.some(({ path: file }) => contractFile.test(file)) === true ? symbol.name : undefined;
}

const simple: readonly (readonly [flags: TypeFlags, shape: Schema])[] = [
  [TypeFlags.AnyOrUnknown, {}],
  [TypeFlags.String | TypeFlags.TemplateLiteral, { type: 'string' }],
  [TypeFlags.Number, { type: 'number' }],
  [TypeFlags.Boolean, { type: 'boolean' }],
  [TypeFlags.Null, { type: 'null' }],
  [TypeFlags.NonPrimitive, { type: 'object' }],
];

function simpleShape(type: Type): Schema | undefined {
  if (type.isLiteralType()) return { const: type.value };
  return simple.find(([flags]) => (type.flags & flags) !== 0)?.[1];
}

/** `undefined` is the absence of a field; both booleans are a boolean; texts and numbers alone are an enumeration. */
function unionShape(type: Type & { getTypes(): readonly Type[] }, inner: (type: Type) => Schema): Schema {
  const members = type.getTypes().filter(({ flags }) => (flags & TypeFlags.Undefined) === 0);
  const isBoolean = (one: Type) => one.isBooleanLiteralType();
  const both = members.filter(isBoolean).length === 2;
  const rest = both ? members.filter((one) => !isBoolean(one)) : members;
  const values = rest.flatMap((one) => (one.isLiteralType() ? [one.value] : []));
  const others = rest.filter((one) => !one.isLiteralType()).map(inner);
  const choices: Schema[] = [
    ...others,
    ...(values.length === 1 ? [{ const: values[0] }] : values.length > 1 ? [{ enum: values }] : []),
    ...(both ? [{ type: 'boolean' }] : []),
  ];
  return choices.length === 1 ? (choices[0] ?? {}) : { anyOf: choices };
}

function objectShape(checker: Checker, type: Type, inner: (type: Type, of: string) => Schema): Schema {
  const fields = checker.getPropertiesOfType(type);
  const properties = fields.map((field) => {
    const about = field.getDocumentationComment(checker);
    const description = about.replace(/ ?\((contract|spec|ruling|rulings) [^)]*\)/g, '').trim();
    const shape = inner(typeOf(checker, field), `.${field.name}`);
    return [field.name, description === '' ? shape : { ...shape, description }] as const;
  });
  const required = fields.filter(({ flags }) => (flags & SymbolFlags.Optional) === 0).map(({ name }) => name);
  const [index] = checker.getIndexInfosOfType(type);
  return {
    type: 'object',
    ...(fields.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...(index !== undefined && { additionalProperties: inner(index.valueType, '[name]') }),
  };
}

package dev.sluice.connector.postgres.definition;

/** Which functions a loader may run for the source's users without being asked. Stateless. */
final class SafeFunctions {

  /*
   * What comes with the server or with an extension, and is immutable: on the target it is what was
   * installed there, and it neither writes nor reads anything. Checks may use more: of what comes
   * with the server that is date and time, which only hang on the clock and the session's settings.
   */
  /** An SQL condition on the row {@code p} of pg_proc: neither built in nor an extension's. */
  static final String IS_OF_USERS =
      """
      (p.oid >= 16384 AND NOT EXISTS (
         SELECT FROM pg_depend x WHERE x.classid = 'pg_proc'::regclass AND x.objid = p.oid
           AND x.refclassid = 'pg_extension'::regclass AND x.deptype = 'e'))
      """;

  /** The same: nothing to ask for. */
  static final String IS_SAFE =
      """
      (p.provolatile = 'i' AND NOT %s
       OR p.provolatile = 's' AND p.oid < 16384 AND p.prokind = 'f' AND (
         SELECT bool_or(t.typcategory IN ('D', 'T'))
           AND bool_and(t.typcategory IN ('D', 'T') OR NOT v.result AND t.typname IN ('text', 'float8')
                        OR v.result AND t.typname IN ('bool', 'int4', 'float8', 'numeric', 'text'))
         FROM (SELECT unnest(p.proargtypes::oid[]), false
               UNION ALL SELECT p.prorettype, true) v (type, result)
         JOIN pg_type t ON t.oid = v.type))
      """
          .formatted(IS_OF_USERS);

  /** An SQL query for the functions of a stored expression, whose text is given by its name. */
  static String in(String expression) {
    // The server records no dependency on what is built in: the expression itself is read.
    return """
        SELECT m[1]::oid FROM regexp_matches(%1$s, ':(?:funcid|opfuncid|aggfnoid|winfnoid) ([0-9]+)', 'g') m
        UNION
        SELECT o.oprcode::oid FROM regexp_matches(%1$s, ':opno ([0-9]+)', 'g') m
        JOIN pg_operator o ON o.oid = m[1]::oid
        """
        .formatted(expression);
  }

  private SafeFunctions() {}
}

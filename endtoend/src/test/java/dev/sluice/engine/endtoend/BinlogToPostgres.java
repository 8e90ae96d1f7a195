package dev.sluice.engine.endtoend;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Tests of daemons that read MariaDB or MySQL, and write to one PostgreSQL server. */
abstract class BinlogToPostgres {
  static EmbeddedPostgres target;

  final ShopServer kind;

  BinlogToPostgres(ShopServer kind) {
    this.kind = kind;
  }

  @BeforeEach
  void requireServer() {
    kind.assumeAvailable();
  }

  @BeforeAll
  static void startTarget() {
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopTarget() {
    if (target != null) {
      target.close();
    }
  }
}

/** Who may: identities, keys, TLS contexts and the proof that a lane belongs to its session. */
@NullMarked
package io.fdt.core.security;

import org.jspecify.annotations.NullMarked;

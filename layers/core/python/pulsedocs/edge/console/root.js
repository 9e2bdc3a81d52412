// Where the stage is: this file lies in its folder `console`, below a prefix or not.
export const root = new URL("..", import.meta.url);
